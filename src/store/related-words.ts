/** Words that stand for each other in the names and descriptions of tools, whatever the tool. */

/** What tools do: whoever asks to `show` something is served by `get`, `list` or `read`. */
export const VERBS: readonly string[] = [
  'show list get view display fetch retrieve read see find lookup details describe',
  'create add new make insert generate register',
  'delete remove drop erase clear uninstall',
  'update edit modify change set alter replace',
  'run execute start launch invoke',
  'send post publish submit',
  'search find query lookup discover',
  'stop kill terminate cancel end',
  'upload put write save store',
  'download export fetch',
  'analyze analysis inspect examine',
  'check verify validate',
  'calculate compute calculator',
  'convert transform translate',
]

/** What they do it to. */
export const NOUNS: readonly string[] = [
  'folder directory dir',
  'image picture photo',
  'repository repo',
  'url link website webpage site page web',
  'email mail gmail',
  'database db',
  'file document',
  'docs documentation',
  'location place address',
  'route directions',
  'price cost',
  'stock share equity ticker',
  'weather forecast temperature',
  'movie film',
  'music song track audio',
  'news headline article',
  'recipe cook dish meal',
  'flight airline',
  'hotel accommodation lodging',
  'job career',
  'chat message',
  'account user',
  'screenshot capture',
  'command shell terminal',
  'schedule calendar event meeting',
  'paper research academic scholar',
]
