import { revokeToken } from '@arbe/core/access/tokens'
import { signIn } from '@arbe/core/access/sign-in'
import { MeSchema, SessionInputSchema } from '@arbe/sdk/api'
import {
  type HouseParts,
  clientKey,
  houseApi,
  json,
  jsonBody,
  nothing,
  refused,
  anyone,
  person,
} from '../house-api.ts'
import { readMe } from '../read-me.ts'
import { SESSION_SECONDS, clearSession, setSession } from '../session.ts'

const openLinkRoute = anyone({
  method: 'post',
  path: '/v1/session',
  summary: 'Open an owner’s link or an invitation; the answer sets the session cookie',
  request: { body: jsonBody(SessionInputSchema) },
  responses: { 200: json('Who one is now', MeSchema), default: refused },
})

const signOutRoute = person('guest', {
  method: 'delete',
  path: '/v1/session',
  summary: 'Sign out: the token used ends',
  responses: { 204: nothing, default: refused },
})

export function sessionRoutes(parts: HouseParts) {
  return houseApi()
    .openapi(openLinkRoute, async (c) => {
      const { token, name } = c.req.valid('json')
      const signedIn = await parts.db.transaction((tx) =>
        signIn(tx, { token, name, clientKey: clientKey(c), sessionSeconds: SESSION_SECONDS }),
      )
      setSession(c, signedIn.session.token, parts.config.origin?.startsWith('https:') === true)
      return c.json(await readMe(parts, signedIn.houseId, signedIn.personId), 200)
    })
    .openapi(signOutRoute, async (c) => {
      await revokeToken(parts.db, c.get('actor').tokenHash)
      clearSession(c)
      return c.body(null, 204)
    })
}
