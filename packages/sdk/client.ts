import type {
  AppendInput,
  Appended,
  Bot,
  BotInput,
  BotPatch,
  Cost,
  CostBy,
  DirectorReplay,
  DirectorReplayInput,
  FeedEvent,
  HouseFile,
  HousePatch,
  Imported,
  ImportMessage,
  Me,
  ModelAsked,
  ModelInfo,
  Person,
  Problem,
  Thread,
  ThreadInput,
  ThreadPatch,
  ThreadState,
  ThreadSummary,
  WhoWouldSpeak,
  WhoWouldSpeakInput,
} from './api.ts'
import type {
  Environment,
  EnvironmentInput,
  EnvironmentPatch,
  SandboxProvider,
} from './environments.ts'
import type { DecisionBody, Entry, OutcomeBody } from './entries.ts'
import { type FeedOptions, followFeed } from './live-feed.ts'

export interface ClientOptions {
  /** Where the house answers; empty: the page's own origin. */
  readonly baseUrl: string
  /** A `pat_` or `ses_` token; left out in a browser, whose cookie speaks for it. */
  readonly token?: string | undefined
  readonly fetch?: typeof fetch
}

/** The server's refusal: `code` is stable, the message is a sentence for people. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  constructor(problem: Pick<Problem, 'status' | 'code' | 'detail'>) {
    super(problem.detail)
    this.status = problem.status
    this.code = problem.code
  }
}

export interface Page {
  readonly entries: readonly Entry[]
  /** True when more entries stand beyond this page in the direction read. */
  readonly more: boolean
}

export interface ThreadPage {
  readonly threads: readonly ThreadSummary[]
  readonly next: string | null
}

export interface DecisionWithOutcome {
  readonly seq: number
  readonly at: string
  readonly decision: DecisionBody
  /** Null while the turn runs, or when nobody spoke. */
  readonly outcome: OutcomeBody | null
}

export type ArbeClient = ReturnType<typeof createClient>

/** A typed client of a house's HTTP API, for browsers, Node and Bun. Every POST is idempotent under its key and may be repeated. */
export function createClient(options: ClientOptions) {
  const request = requester(options)
  const get = <T>(path: string, signal?: AbortSignal) => request<T>('GET', path, { signal })
  const post = <T>(path: string, body: unknown, key: string = newKey()) =>
    request<T>('POST', path, { body, key })

  return {
    me: () => get<Me>('/v1/me'),
    openLink: (token: string, name?: string) =>
      post<Me>('/v1/session', name === undefined ? { token } : { token, name }),
    house: {
      /** What is not named stays. Needs the role admin. */
      edit: (patch: HousePatch) => request<Me>('PATCH', '/v1/house', { body: patch }),
    },
    people: () => get<{ people: Person[] }>('/v1/members'),
    invite: (role: 'admin' | 'member' | 'guest' = 'member') =>
      post<{ url: string; expiresAt: string }>('/v1/invitations', { role }),
    /** A token for the command line or a program; shown this once. */
    createToken: (label: string) => post<{ id: string; token: string }>('/v1/tokens', { label }),
    ...ofHouse(get, options),
    models: () => get<{ models: ModelInfo[]; default: string }>('/v1/models'),
    files: {
      list: () => get<{ files: HouseFile[] }>('/v1/files'),
      read: (path: string) =>
        get<{ path: string; version: number; content: string }>(
          `/v1/files/content?${query({ path })}`,
        ),
    },
    bots: {
      list: () => get<{ bots: Bot[] }>('/v1/bots'),
      create: (input: BotInput) => post<Bot>('/v1/bots', input),
      edit: (id: string, patch: BotPatch) =>
        request<Bot>('PATCH', route`/v1/bots/${id}`, { body: patch }),
      remove: (id: string) => request<undefined>('DELETE', route`/v1/bots/${id}`, {}),
    },
    environments: environmentsOf(request, get, post),
    threads: threadsOf(request, get, post),
    /** The live feed over all threads one may see; ends with the signal. */
    feed: (where: Omit<FeedOptions, 'open' | 'pause'>): AsyncGenerator<FeedEvent, void> =>
      followFeed({
        ...where,
        open: (headers, signal) =>
          (options.fetch ?? fetch)(`${options.baseUrl}/v1/feed`, {
            headers: { ...authorization(options), ...headers },
            signal,
          }),
      }),
  }
}

interface CostWhere {
  readonly by?: CostBy | undefined
  /** ISO 8601. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** A path with its ids encoded: whatever an id holds, it is one segment. */
function route(texts: TemplateStringsArray, ...ids: readonly string[]): string {
  return String.raw({ raw: texts }, ...ids.map(encodeURIComponent))
}

type Get = <T>(path: string) => Promise<T>
type Post = <T>(path: string, body: unknown, key?: string) => Promise<T>

type Requester = ReturnType<typeof requester>

/** Where bots run commands. All but reading and starting needs the role admin. */
function environmentsOf(request: Requester, get: Get, post: Post) {
  return {
    list: () => get<{ environments: Environment[] }>('/v1/environments'),
    providers: () => get<{ providers: SandboxProvider[] }>('/v1/sandbox-providers'),
    create: (input: EnvironmentInput) => post<Environment>('/v1/environments', input),
    edit: (id: string, patch: EnvironmentPatch) =>
      request<Environment>('PATCH', route`/v1/environments/${id}`, { body: patch }),
    start: (id: string) => post<Environment>(route`/v1/environments/${id}/start`, {}),
    remove: (id: string) => request<undefined>('DELETE', route`/v1/environments/${id}`, {}),
  }
}

function threadsOf(request: Requester, get: Get, post: Post) {
  return {
    /** The last spoken in first; `next` of a page is `before` of the one after it, and null on the last. */
    list: (where: { bot?: string; before?: string; limit?: number } = {}) =>
      get<ThreadPage>(`/v1/threads?${query(where)}`),
    get: (id: string) => get<Thread>(route`/v1/threads/${id}`),
    create: (input: ThreadInput, key?: string) => post<Thread>('/v1/threads', input, key),
    edit: (id: string, patch: ThreadPatch) =>
      request<Thread>('PATCH', route`/v1/threads/${id}`, { body: patch }),
    /** Entries after (oldest first) or before a position (also given oldest first); the last page when neither is named. */
    entries: (id: string, where: { after?: number; before?: number; limit?: number } = {}) =>
      get<Page>(`${route`/v1/threads/${id}/entries`}?${query(where)}`),
    append: (id: string, input: AppendInput, key?: string) =>
      post<Appended>(route`/v1/threads/${id}/entries`, input, key),
    /** What was said elsewhere before, at most 500 messages at once; may be repeated. Needs the role admin. */
    import: (id: string, messages: readonly ImportMessage[]) =>
      post<Imported>(route`/v1/threads/${id}/import`, { messages }),
    state: (id: string) => get<ThreadState>(route`/v1/threads/${id}/state`),
    ...looksAt(get, post),
    typing: (id: string) => post<undefined>(route`/v1/threads/${id}/typing`, {}),
  }
}

/** Looks at the house as a whole, for those who answer for it. */
function ofHouse(get: Get, options: ClientOptions) {
  return {
    /** What the house's model calls have cost, of the last 30 days by day unless said otherwise. Needs the role admin. */
    cost: (where: CostWhere = {}) => get<Cost>(`/v1/cost?${query(where)}`),
    /** The whole house as a compressed file, as it is now; a stream that is cut off has no proper end. For the owner alone. */
    backup: () => requestStream(options, '/v1/backup'),
  }
}

/** Looks at what was decided and what it cost, or would be: they change nothing. */
function looksAt(get: Get, post: Post) {
  return {
    /** Newest first; `before` is the position of the oldest decision of the page before. */
    decisions: (id: string, where: { before?: number; limit?: number } = {}) =>
      get<{ decisions: DecisionWithOutcome[]; more: boolean }>(
        `${route`/v1/threads/${id}/decisions`}?${query(where)}`,
      ),
    cost: (id: string, where: CostWhere = {}) =>
      get<Cost>(`${route`/v1/threads/${id}/cost`}?${query(where)}`),
    /** What a model was asked for a decision; empty when none was, or after thirty days. For the owner alone. */
    asked: (id: string, decision: number) =>
      get<{ requests: ModelAsked[] }>(
        route`/v1/threads/${id}/decisions/${String(decision)}/requests`,
      ),
    /** Decides again what was decided; free unless a model is named. Needs the role owner. */
    replay: (id: string, input: DirectorReplayInput = {}) =>
      post<DirectorReplay>(route`/v1/threads/${id}/director-replay`, input),
    /** Says nothing; free unless `paid` lets a model be asked. */
    whoWouldSpeak: (id: string, input: WhoWouldSpeakInput) =>
      post<WhoWouldSpeak>(route`/v1/threads/${id}/who-would-speak`, input),
  }
}

export function newKey(): string {
  return crypto.randomUUID()
}

interface RequestParts {
  readonly body?: unknown
  readonly key?: string
  readonly signal?: AbortSignal | undefined
}

function requester(options: ClientOptions) {
  return async function request<T>(method: string, path: string, parts: RequestParts): Promise<T> {
    const response = await (options.fetch ?? fetch)(`${options.baseUrl}${path}`, {
      method,
      headers: {
        ...authorization(options),
        ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(parts.key === undefined ? {} : { 'idempotency-key': parts.key }),
      },
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      ...(parts.signal === undefined ? {} : { signal: parts.signal }),
    })
    if (!response.ok) throw new ApiError(await problemOf(response))
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the route's type is the contract; the server validates what it sends
    return (response.status === 204 ? undefined : await response.json()) as T
  }
}

async function requestStream(
  options: ClientOptions,
  path: string,
): Promise<ReadableStream<Uint8Array>> {
  const headers = authorization(options)
  const response = await (options.fetch ?? fetch)(`${options.baseUrl}${path}`, { headers })
  if (!response.ok || response.body === null) throw new ApiError(await problemOf(response))
  return response.body
}

function authorization(options: ClientOptions): Record<string, string> {
  return options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }
}

async function problemOf(response: Response): Promise<Pick<Problem, 'status' | 'code' | 'detail'>> {
  const text = await response.text()
  const fallback = {
    status: response.status,
    code: 'unknown',
    detail: `The server answered ${response.status}.`,
  }
  try {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every field is read as perhaps absent
    const body = JSON.parse(text) as Partial<Problem>
    return {
      status: response.status,
      code: body.code ?? fallback.code,
      detail: body.detail ?? body.title ?? fallback.detail,
    }
  } catch {
    return fallback
  }
}

function query(where: object): string {
  return new URLSearchParams(
    Object.entries(where).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  ).toString()
}
