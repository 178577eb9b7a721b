// Asks git-novel before a tool writes: records, drafts and committed chapters change only through git-novel itself.
import { spawnSync } from "node:child_process"

export const NovelGuard = async ({ directory }) => ({
  "tool.execute.before": async (input, output) => {
    const asked = JSON.stringify({ tool_name: input.tool, tool_input: output.args, cwd: directory })
    const run = spawnSync("git-novel", ["guard"], { input: asked, cwd: directory, encoding: "utf8" })
    if (run.status === 2) throw new Error(run.stderr.trim())
  },
})
