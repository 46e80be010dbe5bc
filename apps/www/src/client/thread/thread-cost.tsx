import { sayMoney } from '@arbe/sdk/say-money'
import { useCallback } from 'react'
import { useStore } from '../house/use-house.ts'
import { useFetched } from '../shell/use-fetched.ts'

/** What models have cost in the thread of late, and how much of it went into choosing who speaks. */
export function ThreadCost({ id }: { readonly id: string }) {
  const { client } = useStore()
  const read = useCallback(async () => (await client.threads.cost(id)).total, [client, id])
  const total = useFetched(read)
  if (total.status !== 'ready') return null
  const { cost, choosing, calls } = total.value
  return (
    <p className="text-soft mt-5 text-sm">
      {calls === 0
        ? 'No model was asked here in the last 30 days.'
        : `Models have cost ${sayMoney(cost)} here in the last 30 days, ${sayMoney(choosing)} of it for choosing who speaks.`}
    </p>
  )
}
