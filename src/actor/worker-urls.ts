/** Where the compiled files of `workers/` are, whether this module runs from `dist/` or from its source. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { packageRoot } from '../base/version.js'

export type WorkerFile = 'session' | 'compute' | 'embed' | 'models'

export function workerUrl(file: WorkerFile): URL {
  return pathToFileURL(join(packageRoot(), 'dist', 'workers', `${file}.js`))
}
