import { z } from 'zod'
import type { ToolOutcome } from '../threads/turn.ts'
import type { VolumePath } from '../volumes/volume-path.ts'
import { checkPath, readableVolume, volumeWorkspace } from '../volumes/volume-workspace.ts'
import { deleteFile, listFiles, lockFile, readFile, writeFile } from '../volumes/volumes.ts'
import {
  runWorkspaceTool,
  type ToolFailure,
  type ToolResult,
  workspaceTools,
} from '../volumes/workspace-tools.ts'
import type { AgentTool, ToolContext } from './tool.ts'
import { toolFailure, toParameters, withArgs } from './tool-args.ts'

export function volumeTools(ctx: ToolContext): readonly AgentTool[] {
  return [
    readFileTool(ctx),
    changingTool(ctx, 'write_file'),
    changingTool(ctx, 'patch_file'),
    listFilesTool(ctx),
    moveFileTool(ctx),
    deleteFileTool(ctx),
  ]
}

const FIELDS = { owner: 'volume-tools', offered: 'always' } as const

function readFileTool({ db, houseId }: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: workspaceTools.read_file.spec,
    effect: 'none',
    async run({ args }) {
      const files = readableVolume(db, houseId)
      return toOutcome(await runWorkspaceTool(files, { tool: 'read_file', args }))
    },
  }
}

function changingTool(
  { houseId, agentId }: ToolContext,
  tool: 'write_file' | 'patch_file',
): AgentTool {
  return {
    ...FIELDS,
    spec: workspaceTools[tool].spec,
    effect: 'idempotent',
    async apply(tx, { args, effectKey }) {
      const files = volumeWorkspace(tx, { houseId, authorId: agentId, effectKey })
      return toOutcome(await runWorkspaceTool(files, { tool, args }))
    },
  }
}

const MOST_LISTED = 500
const ListArgs = z.object({
  folder: z.string().optional().describe('Only what is below this folder; everything without it.'),
})

function listFilesTool({ db, houseId }: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'list_files',
      description: `List the files of this house with their sizes, at most ${MOST_LISTED}.`,
      parameters: toParameters(ListArgs),
    },
    effect: 'none',
    run: ({ args }) =>
      withArgs(ListArgs, args, async (list) => {
        const folder = folderOf(list.folder)
        if (typeof folder === 'object') return toOutcome(folder)
        const files = await listFiles(db, houseId, { folder, limit: MOST_LISTED + 1 })
        return { text: describeFiles(files), isError: false }
      }),
  }
}

/** Models write `.` or nothing for the root, and a folder with its slash. */
function folderOf(folder: string | undefined): VolumePath | ToolFailure | undefined {
  const name = folder?.replace(/\/$/, '') ?? ''
  return name === '' || name === '.' ? undefined : checkPath(name)
}

function describeFiles(
  files: readonly { readonly path: string; readonly bytes: number }[],
): string {
  if (files.length === 0) return 'There are no files.'
  const lines = files.slice(0, MOST_LISTED).map((file) => `${file.path} (${file.bytes} bytes)`)
  return [...lines, ...(files.length > MOST_LISTED ? ['There are more.'] : [])].join('\n')
}

const MoveArgs = z.object({
  from: z.string().describe('The path it has.'),
  to: z.string().describe('The path it shall have; no file may be there yet.'),
})

function moveFileTool({ houseId, agentId }: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'move_file',
      description: 'Give a file another path.',
      parameters: toParameters(MoveArgs),
    },
    effect: 'idempotent',
    apply: (tx, { args, effectKey }) =>
      withArgs(MoveArgs, args, async (move) => {
        const from = checkPath(move.from)
        if (typeof from === 'object') return toOutcome(from)
        const to = checkPath(move.to)
        if (typeof to === 'object') return toOutcome(to)
        // In one order, so that moves in opposite directions do not wait for each other.
        for (const path of [from, to].toSorted()) await lockFile(tx, houseId, path)
        const file = await readFile(tx, houseId, from)
        if (file === undefined) return fileNotFound(from)
        if ((await readFile(tx, houseId, to)) !== undefined) {
          return toolFailure('invalid_arguments', `there is a file "${to}" already`)
        }
        const write = { houseId, authorId: agentId, effectKey }
        await writeFile(tx, { ...write, path: to, content: file.content })
        await deleteFile(tx, { ...write, path: from })
        return { text: `File moved: ${from} to ${to}`, isError: false }
      }),
  }
}

const DeleteArgs = z.object({ path: z.string().describe('The file to delete.') })

function deleteFileTool({ houseId, agentId }: ToolContext): AgentTool {
  return {
    ...FIELDS,
    spec: {
      name: 'delete_file',
      description: 'Delete a file.',
      parameters: toParameters(DeleteArgs),
    },
    effect: 'idempotent',
    apply: (tx, { args, effectKey }) =>
      withArgs(DeleteArgs, args, async ({ path }) => {
        const checked = checkPath(path)
        if (typeof checked === 'object') return toOutcome(checked)
        await lockFile(tx, houseId, checked)
        if ((await readFile(tx, houseId, checked)) === undefined) return fileNotFound(checked)
        await deleteFile(tx, { houseId, authorId: agentId, effectKey, path: checked })
        return { text: `File deleted: ${checked}`, isError: false }
      }),
  }
}

function fileNotFound(path: VolumePath): ToolOutcome {
  return toolFailure('file_not_found', `there is no file "${path}"`)
}

function toOutcome(result: ToolResult): ToolOutcome {
  if (result.status === 'error') return toolFailure(result.error, result.detail)
  return { text: result.observation, isError: false }
}
