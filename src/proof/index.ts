/**
 * Payment proofs: files that show, without a node and without a network, that Bitcoin's miners have worked on the block of a payment.
 *
 * @module
 */
export type { PaymentProof, ProofBlock } from './payment-proof.js';
export type { Checkpoint } from './rules.js';
export { type ProvenPayment, verifyPayment } from './verify-payment.js';
