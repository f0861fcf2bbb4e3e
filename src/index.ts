export { ERROR_CODES, type ErrorCode } from './contract/error.ts';
export { ToolError, type SerialisedError, type ToolErrorOptions } from './contract/tool-error.ts';
export type {
  BreakerPolicy,
  Contract,
  DeclaredError,
  Dependency,
  Example,
  ExecutorSpec,
  Fallback,
  Policy,
  RateLimit,
  SecretDeclaration,
  SideEffect,
} from './contract/contract.ts';
export type { Condition, Operand, Rule } from './contract/rules.ts';
export type { Flow, Step, StepFallback } from './contract/flow.ts';
export type { Check, Execute, ExecutionContext, Violation } from './contract/execution-context.ts';
export type {
  CallMetadata,
  CallOptions,
  CallRequest,
  DiscoverEnvelope,
  DiscoverRequest,
  Envelope,
  ToolDescription,
} from './contract/envelope.ts';
export type { Json, JsonObject } from './base/json.ts';
export { defineSkill } from './registry/define-skill.ts';
export type { Skill } from './registry/skill.ts';
export type { Problem, Snapshot } from './registry/snapshot.ts';
export { createRuntime, type RuntimeOptions } from './runtime/create-runtime.ts';
export type {
  CallControl,
  Caller,
  Dispatch,
  DispatchedCall,
  DispatchOptions,
  PreviewedCall,
  Progress,
  Runtime,
  Session,
  SessionOptions,
  ToolsOptions,
  TraceNode,
  TurnOptions,
  Validation,
} from './runtime/runtime.ts';
export { createMemoryStore } from './store/memory/memory-store.ts';
export { openSqliteStore, type SqliteStoreOptions } from './store/sqlite/sqlite-store.ts';
export type { Store } from './store/store.ts';
export {
  compile,
  type Compiled,
  type CompileOptions,
  type CompileWarning,
  type Refusal,
} from './adapters/compile.ts';
export { decodeCall, type Decoded, type DecodeFailure, type ReadCall } from './adapters/decode.ts';
export type { DecodePlan } from './adapters/decode-plan.ts';
export { DIALECT_IDS } from './adapters/dialect.ts';
export { normalise } from './adapters/normalise.ts';
export { repairHistory } from './adapters/repair-history.ts';
export type { NameTable } from './adapters/name-table.ts';
export { CallCollector, type CallDelta } from './adapters/collect-stream.ts';
export type { ToolCall } from './adapters/tool-call.ts';
export {
  runAgent,
  type AgentEvent,
  type AgentOptions,
  type AgentResult,
} from './agent/run-agent.ts';
export type { AgentSession, PendingCall } from './agent/agent-session.ts';
export type { AgentState } from './agent/agent-state.ts';
export type { Approval, Decision } from './agent/approvals.ts';
export type { Finish, Model, ModelReply, ModelRequest } from './agent/model.ts';
export { aiSdkModel } from './agent/models/ai-sdk.ts';
export { anthropicModel } from './agent/models/anthropic.ts';
export { openaiChatModel } from './agent/models/openai-chat.ts';
export { openaiResponsesModel } from './agent/models/openai-responses.ts';
export { aiSdkTools } from './agent/tools/ai-sdk.ts';
export { anthropicTools } from './agent/tools/anthropic.ts';
export { langchainTools } from './agent/tools/langchain.ts';
export { openaiAgentsTools } from './agent/tools/openai-agents.ts';
