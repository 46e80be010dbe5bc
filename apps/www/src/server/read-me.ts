import { findHouse } from '@arbe/core/access/houses'
import { getMember } from '@arbe/core/access/members'
import { Refused } from '@arbe/core/access/refused'
import type { ActorId, HouseId } from '@arbe/sdk'
import type { Me } from '@arbe/sdk/api'
import type { HouseParts } from './house-api.ts'

export async function readMe(
  { db, models }: Pick<HouseParts, 'db' | 'models'>,
  houseId: HouseId,
  personId: ActorId,
): Promise<Me> {
  const house = await findHouse(db, houseId)
  if (house === undefined) throw new Refused('not_found', 'The house is gone.')
  return {
    person: await getMember(db, houseId, personId),
    house,
    demo: models.find(models.defaultName)?.demo === true,
  }
}
