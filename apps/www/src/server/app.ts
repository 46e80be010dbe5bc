import type { OpenAPIHono } from '@hono/zod-openapi'
import type { MiddlewareHandler } from 'hono'
import {
  requireKnownHost,
  requireOwnOrigin,
  refuseTokenInQuery,
  secureHeaders,
} from './browser-guard.ts'
import { type HouseParts, houseApi } from './house-api.ts'
import { CallerGone } from './caller-gone.ts'
import { limitBody } from './json-body.ts'
import { describeApi } from './openapi.ts'
import { problem, respond, toProblem } from './problem.ts'
import { RateLimit } from './rate-limit.ts'
import type { ActorEnv } from './session.ts'
import { backupRoutes } from './routes/backup.ts'
import { botRoutes } from './routes/bots.ts'
import { costRoutes } from './routes/cost.ts'
import { environmentRoutes } from './routes/environments.ts'
import { feedRoutes } from './routes/feed.ts'
import { fileRoutes } from './routes/files.ts'
import { houseRoutes } from './routes/house.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { meRoutes } from './routes/me.ts'
import { memberRoutes } from './routes/members.ts'
import { modelRoutes } from './routes/models.ts'
import { sessionRoutes } from './routes/session.ts'
import { threadActivityRoutes } from './routes/thread-activity.ts'
import { threadEntryRoutes } from './routes/thread-entries.ts'
import { threadImportRoutes } from './routes/thread-import.ts'
import { threadLookRoutes } from './routes/thread-looks.ts'
import { threadRoutes } from './routes/threads.ts'
import { tokenRoutes } from './routes/tokens.ts'
import { serveDocs, servePage } from './web-page.ts'

const resources = [
  sessionRoutes,
  meRoutes,
  houseRoutes,
  memberRoutes,
  invitationRoutes,
  tokenRoutes,
  threadRoutes,
  threadEntryRoutes,
  threadActivityRoutes,
  threadImportRoutes,
  threadLookRoutes,
  botRoutes,
  modelRoutes,
  costRoutes,
  environmentRoutes,
  backupRoutes,
  fileRoutes,
  feedRoutes,
]

export interface AppParts extends HouseParts {
  /** What broke behind a request; a refusal is no such thing. */
  readonly onError: (error: unknown) => void
}

/** The whole HTTP face of the house: who gets in, then the API, then the page and the documentation. */
export function createApp(parts: AppParts): OpenAPIHono {
  const app = houseApi()
  app.onError((error) => {
    if (error instanceof CallerGone) return new Response(null, { status: 499 })
    const body = toProblem(error)
    if (body.status >= 500) parts.onError(error)
    return respond(body)
  })
  app.use(secureHeaders)
  app.use(requireKnownHost(parts.config))
  app.get('/healthz', (c) => c.text('ok\n'))
  app.get('/readyz', async (c) => {
    await parts.db.query('select 1')
    return c.text('ready\n')
  })
  app.use(lend(parts), refuseTokenInQuery, requireOwnOrigin(parts.config), limitBody)
  for (const routes of resources) app.route('/', routes(parts))
  app.get('/v1/openapi.json', (c) => c.json(describeApi(app)))
  app.all('/v1/*', (c) =>
    respond(problem('not_found', `The API has no ${c.req.method} ${c.req.path}.`)),
  )
  app.get('/docs', (c) => c.redirect('/docs/index.md'))
  app.get('/docs/*', serveDocs)
  app.get('*', servePage)
  app.notFound((c) => respond(problem('not_found', `There is no ${c.req.method} ${c.req.path}.`)))
  return app
}

/** What the checks at the door work with; the routes get theirs when they are made. */
function lend({ db, config }: AppParts): MiddlewareHandler<ActorEnv> {
  const { changesPerSecond } = config
  const changes = new RateLimit({ perSecond: changesPerSecond, burst: changesPerSecond * 10 })
  return async (c, next) => {
    c.set('db', db)
    c.set('changes', changes)
    return next()
  }
}
