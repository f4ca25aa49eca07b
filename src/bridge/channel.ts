import { type Message, readMessage } from './protocol.js';

/** Carries messages between the wallet's frame and its window. */
export type BridgeChannel = BroadcastChannel | MessagePort;

/**
 * The channel of one window, for documents of this origin that share its storage. `token` names it; the dapp knows the
 * token, and has no access to channels of this origin.
 */
export const openChannel = (token: string): BridgeChannel => new BroadcastChannel(`graft:bridge:${token}`);

/** The Web Lock that a window holds until it ends, since `closed` is true for a window that its headers have cut off. */
export const lockName = (token: string): string => `graft:bridge:window:${token}`;

/** Passes the messages of a channel on that are messages of the bridge. */
export function receiveMessages(channel: BridgeChannel, onMessage: (message: Message) => void): void {
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = readMessage(data);
    if (message) onMessage(message);
  };
}

/** Milliseconds between two messages by which a window reports that it is there. */
export const helloInterval = 250;
