// Run by `npm run bench`, which builds first: what is measured is what is shipped.

import { availableParallelism } from "node:os";
import { benchCommandLine } from "./command-line.ts";
import { benchCompare } from "./compare.ts";
import { benchCriticalPath } from "./critical-path.ts";
import { benchDatasets } from "./datasets.ts";
import { benchEngineTurns } from "./engine-turns.ts";
import { benchFaults } from "./faults.ts";
import { benchImport } from "./import.ts";
import { benchJudgeRequest } from "./judge-request.ts";
import { benchLargeStore } from "./large-store.ts";
import { benchLongConversation } from "./long-conversation.ts";
import { benchManyConversations } from "./many-conversations.ts";
import { benchOutcomes } from "./outcomes.ts";
import { benchPackage } from "./package.ts";
import { benchPostgres } from "./postgres.ts";
import { benchProviderPath } from "./provider-path.ts";
import { benchRateLimit } from "./rate-limit.ts";
import { benchReading } from "./reading.ts";
import { benchRehearsal } from "./rehearsal.ts";
import { benchResume } from "./resume.ts";
import { benchRouting } from "./routing.ts";
import { benchRunMemory } from "./run-memory.ts";
import { benchStore } from "./store.ts";
import { benchTypeCheck } from "./type-check.ts";
import { benchValidation } from "./validation.ts";
import { benchVerification } from "./verification.ts";
import { benchViewer } from "./viewer.ts";
import { benchWorkers } from "./workers.ts";

// Names given on the command line pick benchmarks: `node bench/run.ts engine memory`.
const wanted = process.argv.slice(2);
console.log(`Node ${process.version}, ${availableParallelism()} cores\n`);
for (const bench of [
  benchImport,
  benchCommandLine,
  benchValidation,
  benchRouting,
  benchOutcomes,
  benchVerification,
  benchReading,
  benchJudgeRequest,
  benchRehearsal,
  benchTypeCheck,
  benchEngineTurns,
  benchProviderPath,
  benchCriticalPath,
  benchManyConversations,
  benchDatasets,
  benchRunMemory,
  benchLongConversation,
  benchRateLimit,
  benchFaults,
  benchResume,
  benchStore,
  benchPostgres,
  benchLargeStore,
  benchCompare,
  benchViewer,
  benchWorkers,
  benchPackage,
]) {
  if (wanted.length > 0 && !wanted.some((word) => bench.name.toLowerCase().includes(word.toLowerCase())))
    continue;
  await bench();
  console.log();
}
