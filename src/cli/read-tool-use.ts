/** How tools were used so far, by the audit log. */
import { createComputePool } from '../actor/compute-pool.js'
import type { ToolUseReport } from '../protocol/audit-api.js'

/** Rejects with AUDIT_FILE. */
export async function readToolUse(dataDir: string): Promise<ToolUseReport> {
  const pool = createComputePool({ maxThreads: 1 })
  try {
    return await pool.run('readToolUse', { dataDir })
  } finally {
    await pool.close()
  }
}
