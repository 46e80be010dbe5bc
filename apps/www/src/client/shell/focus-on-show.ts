/** For the first field of a screen that is nothing but a form; not where a finger would call up the keyboard. */
export function focusOnShow(field: HTMLElement | null): void {
  if (matchMedia('(pointer: fine)').matches) field?.focus()
}
