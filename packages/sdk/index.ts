export * from './entries.ts'
export * from './ids.ts'
