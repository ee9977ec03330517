// What a workflow may use of Node: files, paths, hashes, child processes and
// fetch. The prompt is the URL of a page; the report about it is written to a
// temporary folder and read back.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { putContentMerkleNode } from "@uncaged/workflow-cas";

const role = (description) => ({ description, schema: { type: "object" } });

export const descriptor = {
  description: "Fetches a page, counts it with wc, and keeps a report",
  roles: {
    fetcher: role("Fetches the page"),
    counter: role("Counts its bytes with a child process"),
    writer: role("Writes the report to a file and reads it back"),
  },
};

function count(text) {
  return new Promise((resolve, reject) => {
    const child = spawn("wc", ["-c"], { stdio: ["pipe", "pipe", "inherit"] });
    let out = "";
    child.stdout.setEncoding("utf8").on("data", (part) => {
      out += part;
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(Number(out.trim()));
      else reject(new Error(`wc exited with ${code}`));
    });
    child.stdin.end(text);
  });
}

export async function* run(thread, { cas }) {
  const step = async (role, text, meta) => {
    const contentHash = await putContentMerkleNode(cas, text);
    return { role, contentHash, meta, refs: [contentHash] };
  };

  const url = thread.start.content.trim();
  const response = await fetch(url);
  if (!response.ok) {
    return { returnCode: 1, summary: `${url} answered ${response.status}` };
  }
  const page = await response.text();
  yield await step("fetcher", page, { status: response.status });

  const bytes = await count(page);
  yield await step("counter", `${bytes} bytes`, { bytes });

  const folder = await mkdtemp(join(tmpdir(), "report-"));
  try {
    const sha256 = createHash("sha256").update(page).digest("hex");
    const file = join(folder, "report.md");
    await writeFile(file, `# Report\n\n- bytes: ${bytes}\n- sha256: ${sha256}\n`);
    yield await step("writer", await readFile(file, "utf8"), { sha256 });
  } finally {
    await rm(folder, { recursive: true });
  }
  return { returnCode: 0, summary: `${bytes} bytes reported` };
}
