/** Two servers whose tasks have the same ids: one list, and each task stays with the server that made it. */
import { describe, expect, it } from 'vitest'
import { fixture, openStdioGateway } from '../support/gateway.js'

const anything = { safeParse: (data: unknown) => ({ success: true, data }), parse: (data: unknown) => data } as never
interface Task {
  readonly taskId: string
  readonly statusMessage: string
}

describe('two servers with the same task ids', () => {
  it('are told apart in answers, lists, requests and notifications', async () => {
    const gateway = await openStdioGateway({ one: fixture('task-server.js', 'one'), two: fixture('task-server.js', 'two') })
    const ask = (method: string, params: object) =>
      gateway.client.request({ method, params } as never, anything) as Promise<Record<string, never>>
    const heard: unknown[] = []
    gateway.client.fallbackNotificationHandler = async ({ method, params }) => {
      if (method === 'notifications/tasks/status') heard.push(params?.['taskId'])
    }
    const started = async (server: string) => {
      const { task } = (await ask('tools/call', { name: `${server}__work`, arguments: {}, task: {} })) as unknown as {
        task: Task
      }
      return task.taskId
    }
    const ids = [await started('one'), await started('two')]
    expect(ids).toEqual(['1', 'two/1'])
    const { tasks } = (await ask('tasks/list', {})) as unknown as { tasks: Task[] }
    expect(tasks.map(({ taskId, statusMessage }) => [taskId, statusMessage])).toEqual([
      ['1', 'of one'],
      ['two/1', 'of two'],
    ])
    for (const [at, id] of ids.entries()) {
      const task = (await ask('tasks/get', { taskId: id })) as unknown as Task
      expect(task).toMatchObject({ taskId: id, statusMessage: `of ${['one', 'two'][at]}` })
      const result = await ask('tasks/result', { taskId: id })
      expect(result['_meta']).toEqual({ 'io.modelcontextprotocol/related-task': { taskId: id } })
    }
    expect(heard).toEqual([ids[0], ids[0], ids[1], ids[1]])
    await expect(ask('tasks/get', { taskId: 'three/1' })).rejects.toThrow(/no server has a task "three\/1"/)
    await gateway.close()
  })
})
