import type { WhoWouldSpeak, WhoWouldSpeakInput } from '@arbe/sdk'
import { useState } from 'react'
import { useStore } from '../house/use-house.ts'
import { messageOf } from '../shell/message-of.ts'
import { Trouble } from '../shell/trouble.tsx'
import { WouldSpeak } from './would-speak.tsx'

export interface TrialAnswerProps {
  readonly question: WhoWouldSpeakInput & { readonly threadId: string }
}

/** Asks one question, and shows what comes of it: once at a time, since asking a model costs. */
export function TrialAnswer({ question: { threadId, ...input } }: TrialAnswerProps) {
  const { client } = useStore()
  const [answer, setAnswer] = useState<WhoWouldSpeak>()
  const [error, setError] = useState<string>()
  const [isAsking, setAsking] = useState(false)

  async function ask(paid: boolean): Promise<void> {
    setAsking(true)
    setError(undefined)
    try {
      setAnswer(await client.threads.whoWouldSpeak(threadId, { ...input, paid }))
    } catch (cause) {
      setError(messageOf(cause))
    } finally {
      setAsking(false)
    }
  }

  return (
    <>
      <button
        type="button"
        className="button"
        disabled={isAsking || input.text.trim() === ''}
        onClick={() => void ask(false)}
      >
        {isAsking ? 'Asking…' : 'Who would speak?'}
      </button>
      <Trouble message={error} />
      <div role="status">
        {answer !== undefined && (
          <WouldSpeak answer={answer} isAsking={isAsking} onAsk={() => void ask(true)} />
        )}
      </div>
    </>
  )
}
