import type { OpenAPIHono } from '@hono/zod-openapi'

/** The API's own description, made from the routes: it cannot say anything else than they do. */
export function describeApi(app: OpenAPIHono): object {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'arbe',
      version: '1',
      description:
        'The HTTP API of a house. Sign in with the session cookie, or send a token as `Authorization: Bearer …`. Errors are ' +
        '`application/problem+json` with a stable `code`. `x-access` says who may call a route.',
    },
  })
}
