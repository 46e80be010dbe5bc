/** A moment for a reader of today: the time, and the day where that is another one. */
export function sayTime(iso: string, now: Date = new Date()): string {
  const moment = new Date(iso)
  const time = clock.format(moment)
  return day.format(moment) === day.format(now) ? time : `${time} on ${day.format(moment)}`
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const day = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' })
