/** The way from a session to its client, where the server can push: a WebSocket. Absent for a POST. */
export interface Outlet {
  /** Sends one message. Must not throw; a closed connection ignores it. */
  send(text: string): void;
  /** @param code of the WebSocket protocol, such as 4002 for a client that reads too slowly */
  close(code: number, reason: string): void;
  /** Bytes that were sent and have not left this machine. */
  buffered(): number;
}
