import type { ModelAsked } from '@arbe/sdk/api'
import { useState } from 'react'
import { useHouse, useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'

interface Where {
  readonly threadId: string
  readonly d: number
}

type Loaded =
  | { readonly status: 'loading' }
  | { readonly status: 'loaded'; readonly requests: readonly ModelAsked[] }
  | { readonly status: 'failed'; readonly why: string }

/** For the owner: word for word what a decision's model was sent and answered. Fetched when it is opened. */
export function AskedRequests({ threadId, d }: Where) {
  const { client } = useStore()
  const isOwner = useHouse().me?.person.role === 'owner'
  const [loaded, setLoaded] = useState<Loaded>({ status: 'loading' })
  if (!isOwner) return null
  const load = async (): Promise<void> => {
    setLoaded({ status: 'loading' })
    try {
      const { requests } = await client.threads.asked(threadId, d)
      setLoaded({ status: 'loaded', requests })
    } catch (cause) {
      setLoaded({ status: 'failed', why: messageOf(cause) })
    }
  }
  return (
    <details onToggle={(event) => void (event.currentTarget.open && load())}>
      <summary className="hover:text-ink w-fit cursor-pointer rounded">
        What the model was asked
      </summary>
      <div className="mt-1 space-y-3">
        <Requests loaded={loaded} />
      </div>
    </details>
  )
}

function Requests({ loaded }: { readonly loaded: Loaded }) {
  if (loaded.status === 'loading') return <p>Loading …</p>
  if (loaded.status === 'failed') return <p role="status">It cannot be shown: {loaded.why}</p>
  if (loaded.requests.length === 0) {
    return <p>No model was asked, or it is more than 30 days ago.</p>
  }
  return loaded.requests.map((asked) => <Request key={asked.at} asked={asked} />)
}

function Request({ asked }: { readonly asked: ModelAsked }) {
  const { at, model, request, answered, error } = asked
  const time = new Date(at).toLocaleString()
  return (
    <section className="space-y-1.5">
      <p className="text-ink">{[model, `attempt ${request.attempt}`, time].join(' · ')}</p>
      <Quoted title="System prompt" text={request.systemPrompt} />
      {request.messages.map(({ role, content }) => (
        <Quoted key={content} title={role === 'user' ? 'Message' : role} text={content} />
      ))}
      <Quoted title="Tools" text={JSON.stringify(request.tools)} />
      <Quoted title="Answer" text={answered ?? 'None yet.'} />
      {error !== null && <Quoted title="Error" text={error} />}
    </section>
  )
}

function Quoted({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <div>
      <p className="text-xs">{title}</p>
      <pre className="bg-panel text-ink max-h-80 overflow-auto rounded p-2 font-mono text-[12.5px] break-words whitespace-pre-wrap">
        {text}
      </pre>
    </div>
  )
}
