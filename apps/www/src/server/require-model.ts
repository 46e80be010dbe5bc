import { Refused } from '@arbe/core/access/refused'
import type { Models } from '@arbe/core/models/model'

/** Empty: the default, which there always is. */
export function requireModel(models: Models, name: string): void {
  if (name !== '' && models.find(name) === undefined)
    throw new Refused('invalid_body', `No model "${name}" is configured here.`)
}
