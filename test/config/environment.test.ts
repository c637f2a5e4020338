import { describe, expect, it } from 'vitest'
import { environmentOf, readEnvironment, variableOf } from '../../src/config/environment.js'

function folders(platform: NodeJS.Platform, home: string, variables: Record<string, string> = {}) {
  const { configDir, dataDir } = environmentOf({ platform, home, variables, cwd: '/' })
  return [configDir, dataDir]
}

describe('the folders', () => {
  it('follow XDG on Linux', () => {
    expect(folders('linux', '/home/me')).toEqual(['/home/me/.config/sluice', '/home/me/.local/share/sluice'])
    expect(folders('linux', '/home/me', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' })).toEqual(['/c/sluice', '/d/sluice'])
  })

  it('ignore XDG folders that are relative or empty', () => {
    const expected = ['/home/me/.config/sluice', '/home/me/.local/share/sluice']
    expect(folders('linux', '/home/me', { XDG_CONFIG_HOME: 'c', XDG_DATA_HOME: '' })).toEqual(expected)
  })

  it('keep what is remembered where SLUICE_DATA_DIR says', () => {
    expect(folders('linux', '/home/me', { SLUICE_DATA_DIR: '/d', XDG_DATA_HOME: '/x' })).toEqual([
      '/home/me/.config/sluice',
      '/d',
    ])
    expect(folders('linux', '/home/me', { SLUICE_DATA_DIR: '' })[1]).toBe('/home/me/.local/share/sluice')
  })

  it('are those of the platform on macOS and Windows', () => {
    const mac = '/Users/me/Library/Application Support/sluice'
    expect(folders('darwin', '/Users/me')).toEqual([mac, mac])
    expect(folders('win32', 'C:\\Users\\me')).toEqual([
      'C:\\Users\\me\\AppData\\Roaming\\sluice',
      'C:\\Users\\me\\AppData\\Local\\sluice',
    ])
    expect(folders('win32', 'C:\\Users\\me', { AppData: 'D:\\R', LOCALAPPDATA: 'D:\\L' })).toEqual([
      'D:\\R\\sluice',
      'D:\\L\\sluice',
    ])
  })
})

describe('variableOf', () => {
  it('is case-blind on Windows only', () => {
    const variables = { Path: 'p' }
    expect(variableOf({ variables, platform: 'win32' }, 'PATH')).toBe('p')
    expect(variableOf({ variables, platform: 'linux' }, 'PATH')).toBeUndefined()
  })

  it('knows no variable by the name of an object member', () => {
    expect(variableOf({ variables: {}, platform: 'linux' }, 'constructor')).toBeUndefined()
  })
})

it('reads the process', () => {
  const environment = readEnvironment()
  expect(environment).toMatchObject({ cwd: process.cwd(), platform: process.platform })
  expect(environment.variables['PATH']).toBe(process.env['PATH'])
})
