import { z } from '@hono/zod-openapi'
import { listMembers, removeMember, requireMayManage, setRole } from '@arbe/core/access/members'
import { leaveThreads } from '@arbe/core/threads/leave-threads'
import { toActorId } from '@arbe/sdk'
import { MemberPatchSchema, PersonSchema } from '@arbe/sdk/api'
import {
  type HouseParts,
  houseApi,
  json,
  jsonBody,
  nothing,
  refused,
  person,
} from '../house-api.ts'

const params = z.object({ memberId: z.string().max(80) })

const listMembersRoute = person('member', {
  method: 'get',
  path: '/v1/members',
  summary: 'The people of the house',
  responses: {
    200: json('Everybody', z.object({ people: z.array(PersonSchema) })),
    default: refused,
  },
})

const changeMemberRoute = person('admin', {
  method: 'patch',
  path: '/v1/members/{memberId}',
  summary: 'Change a member’s role',
  request: { params, body: jsonBody(MemberPatchSchema) },
  responses: { 200: json('The member as changed', PersonSchema), default: refused },
})

const removeMemberRoute = person('admin', {
  method: 'delete',
  path: '/v1/members/{memberId}',
  summary: 'Remove a member: out of every thread, every token ended',
  request: { params },
  responses: { 204: nothing, default: refused },
})

export function memberRoutes({ db }: HouseParts) {
  return houseApi()
    .openapi(listMembersRoute, async (c) =>
      c.json({ people: [...(await listMembers(db, c.get('actor').houseId))] }, 200),
    )
    .openapi(changeMemberRoute, async (c) => {
      const actor = c.get('actor')
      const id = toActorId(c.req.valid('param').memberId)
      const { role } = c.req.valid('json')
      const changed = await db.transaction(async (tx) => {
        await requireMayManage(tx, actor, { id, role })
        return setRole(tx, actor.houseId, { id, role })
      })
      return c.json(changed, 200)
    })
    .openapi(removeMemberRoute, async (c) => {
      const actor = c.get('actor')
      const id = toActorId(c.req.valid('param').memberId)
      await db.transaction(async (tx) => {
        await requireMayManage(tx, actor, { id })
        await leaveThreads(tx, actor, { kind: 'person', id })
        await removeMember(tx, actor.houseId, id)
      })
      return c.body(null, 204)
    })
}
