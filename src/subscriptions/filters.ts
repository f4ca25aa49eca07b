import type { Hash, Hex, Log, LogFilter } from '../rpc/schema.js';

/** The dapp-visible filters of seed "Filter lifecycle", ours: short QUANTITY ids, fed by the follower. */
export interface Filters {
  newFilter(filter: LogFilter): Promise<Hex>;
  newBlockFilter(): Promise<Hex>;
  newPendingTransactionFilter(): Promise<Hex>;
  /** What happened since the previous poll. @throws ProviderRpcError -32000 `filter not found`. */
  changes(id: Hex): Promise<readonly (Log | Hash)[]>;
  /** All logs matching a log filter. @throws ProviderRpcError -32000 `filter not found`. */
  logs(id: Hex): Promise<readonly Log[]>;
  uninstall(id: Hex): Promise<boolean>;
  clear(): void;
}
