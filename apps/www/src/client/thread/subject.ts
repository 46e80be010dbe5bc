/** What the composer writes. */
export type Subject =
  | { readonly kind: 'new' }
  | { readonly kind: 'reply'; readonly to: number }
  | { readonly kind: 'edit'; readonly target: number; readonly text: string }
