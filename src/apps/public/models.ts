export { Cassette, readCassette, writeCassette } from "../../engine/models/cassette/cassette.ts";
export {
  type CassetteModelOptions,
  cassetteModel,
  recordingModel,
} from "../../engine/models/cassette/cassette-model.ts";
export { explainMiss } from "../../engine/models/cassette/explain-miss.ts";
export {
  type CallRequest,
  callRequest,
  type RecordedCall,
} from "../../engine/models/cassette/recorded-call.ts";
export {
  type FunctionContext,
  type FunctionModelOptions,
  functionModel,
  type ReplyFunction,
} from "../../engine/models/function/function-model.ts";
export { type HttpModelOptions, httpModel } from "../../engine/models/http/http-model.ts";
export type {
  AssistantMessage,
  Message,
  ToolCall,
  ToolMessage,
  ToolResult,
  UserMessage,
} from "../../engine/models/message.ts";
export { type CallRepetition, callIdentity } from "../../engine/models/message-list.ts";
export type {
  CallContext,
  FinishReason,
  Model,
  ModelCard,
  ModelReply,
  ModelRequest,
  RateLimitHints,
  SimulatedModel,
  SimulationInput,
  ToolDefinition,
  Usage,
} from "../../engine/models/model.ts";
export { type PersonModelOptions, personModel } from "../../engine/models/person/person-model.ts";
export {
  type KnownProvider,
  knownProviders,
  type ProviderConfig,
  type ProviderKind,
} from "../../engine/models/providers/provider.ts";
export { type ResolveOptions, resolveModel } from "../../engine/models/resolve-model.ts";
export { simulatedModel } from "../../engine/models/simulated/simulated-model.ts";
export {
  SIMULATED_SUBJECTS,
  type SimulatedSubject,
} from "../../engine/models/simulated/simulated-subjects.ts";
export type {
  ToolEndpoint,
  ToolProcess,
  ToolServer,
} from "../../engine/models/tools/resolve-tool-servers.ts";
