import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** What befalls one connection from its beginning. */
export type Weather =
  | { readonly kind: 'fair' }
  /** Every piece waits, both ways. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Both ends are cut off when so many bytes went this way: a reply cut after 0 was given and never arrives. */
  | { readonly kind: 'cut'; readonly way: 'request' | 'reply'; readonly after: number }
  /** Accepted, and nothing ever comes back. */
  | { readonly kind: 'swallow' }

export interface TcpProxy extends AsyncDisposable {
  readonly port: number
  readonly url: string
  /** Connections that are open now. */
  readonly open: number
  /**
   * `silent`: all connections stay as they are and carry nothing. `shut`: all are cut, and so is who tries again. `open` after either:
   * what was silent is cut, and new ones are carried.
   */
  become(state: 'open' | 'silent' | 'shut'): void
}

/** Stands before a server on loopback. `weather` is asked once a connection. */
export async function startTcpProxy(
  targetPort: number,
  weather: () => Weather = () => ({ kind: 'fair' }),
): Promise<TcpProxy> {
  const clients = new Set<Socket>()
  let state: 'open' | 'silent' | 'shut' = 'open'
  const server = createServer((client) => {
    clients.add(client)
    client.once('close', () => clients.delete(client)).on('error', () => undefined)
    if (state === 'shut') client.destroy()
    else void join(client, weather())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const cutAll = (): void => clients.forEach((client) => client.destroy())
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    get open() {
      return clients.size
    },
    become(next) {
      if (next === 'shut' || (next === 'open' && state === 'silent')) cutAll()
      state = next
    },
    async [Symbol.asyncDispose]() {
      cutAll()
      await new Promise((closed) => server.close(closed))
    },
  }

  async function join(client: Socket, fate: Weather): Promise<void> {
    if (fate.kind === 'swallow') return void client.resume()
    const upstream = connect(targetPort, '127.0.0.1').on('error', () => undefined)
    client.once('close', () => upstream.destroy())
    upstream.once('close', () => client.destroy())
    await Promise.all([
      carry({ from: client, to: upstream, way: 'request' }, fate),
      carry({ from: upstream, to: client, way: 'reply' }, fate),
    ])
  }

  async function carry({ from, to, way }: Way, fate: Weather): Promise<void> {
    const most = fate.kind === 'cut' && fate.way === way ? fate.after : Infinity
    let carried = 0
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        if (fate.kind === 'slow') await setTimeout(fate.ms)
        // Returning would cut it off.
        if (state === 'silent') await Promise.race([once(from, 'close'), once(to, 'close')])
        carried += chunk.length
        if (carried > most) {
          to.write(chunk.subarray(0, chunk.length - (carried - most)), () => to.destroy())
          from.destroy()
          return
        }
        if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      }
      to.end()
    } catch {
      // The reading end was cut off.
      to.destroy()
    }
  }
}

interface Way {
  readonly from: Socket
  readonly to: Socket
  readonly way: 'request' | 'reply'
}
