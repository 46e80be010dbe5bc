import type { Environment, EnvironmentPatch } from '@arbe/sdk/environments'
import type { CommandContext, Options } from '../command-context.ts'
import { CliError, EXIT } from '../exit.ts'
import { connect } from '../login.ts'
import { textOf } from '../read-option.ts'

type Client = Awaited<ReturnType<typeof connect>>

export async function list({ config, output }: CommandContext): Promise<undefined> {
  const client = await connect(config)
  const [{ environments }, { providers }] = await Promise.all([
    client.environments.list(),
    client.environments.providers(),
  ])
  output.data(environments, () => [
    ...environments.map(lineOf),
    ...providers
      .filter(({ status }) => status === 'broken')
      .map(({ name, reason, remedy }) => `${name} does not work here: ${reason}. ${remedy}`),
  ])
}

export async function add(
  { config, output }: CommandContext,
  [name = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const provider = textOf(options['provider'])
  const made = await client.environments.create({
    name,
    ...(provider !== undefined && { provider }),
    ...networkOf(options),
  })
  const environment = await client.environments.start(made.id)
  output.data(environment, () => [lineOf(environment)])
}

export async function edit(
  { config, output }: CommandContext,
  [which = '']: readonly string[],
  options: Options,
): Promise<undefined> {
  const client = await connect(config)
  const before = await find(client, which)
  const name = textOf(options['name'])
  const environment = await client.environments.edit(before.id, {
    ...(name !== undefined && { name }),
    ...networkOf(options),
    ...variablesOf(before, options),
  })
  output.data(environment, () => [lineOf(environment)])
}

export async function start(
  { config, output }: CommandContext,
  [which = '']: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const environment = await client.environments.start((await find(client, which)).id)
  output.data(environment, () => [lineOf(environment)])
}

export async function remove(
  { config, output }: CommandContext,
  [which = '']: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const environment = await find(client, which)
  await client.environments.remove(environment.id)
  output.note(`${environment.name} and its box are gone.`)
}

export async function bind(
  { config, output }: CommandContext,
  [threadId = '', which = '']: readonly string[],
): Promise<undefined> {
  const client = await connect(config)
  const environment = which === 'none' ? null : (await find(client, which)).id
  const thread = await client.threads.edit(threadId, { environment })
  output.data(thread, () => [
    thread.environment === null
      ? 'Its bots run commands nowhere.'
      : `Its bots run commands in ${thread.environment.name}.`,
  ])
}

async function find(client: Client, which: string): Promise<Environment> {
  const { environments } = await client.environments.list()
  const found = environments.find(({ id, name }) => id === which || name === which)
  if (found !== undefined) return found
  const known = environments.map(({ name }) => name).join(', ') || 'none'
  throw new CliError(EXIT.notFound, `The house has no environment "${which}"; it has ${known}.`)
}

function networkOf(options: Options): Pick<EnvironmentPatch, 'network'> {
  const network = textOf(options['network'])
  return network === undefined ? {} : { network: network === 'open' ? 'open' : 'none' }
}

function variablesOf(
  { variables }: Environment,
  options: Options,
): Pick<EnvironmentPatch, 'variables'> {
  const set = textOf(options['var'])
  const unset = textOf(options['unset'])
  if (set === undefined && unset === undefined) return {}
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(set ?? '') ?? []
  if (set !== undefined && name === '') throw new CliError(EXIT.usage, `"${set}" is no NAME=VALUE.`)
  const kept = Object.entries(variables).filter(([one]) => one !== unset)
  return { variables: { ...Object.fromEntries(kept), ...(name !== '' && { [name]: value }) } }
}

function lineOf({ id, name, provider, network, box, variables }: Environment): string {
  const names = Object.keys(variables)
  const state = box === 'ready' ? 'started' : 'not started'
  const given = names.length === 0 ? '' : `  ${names.join(', ')}`
  return `${id}  ${name}  ${provider}, network ${network}, ${state}${given}`
}
