import { own } from '../../rpc/own.js';
import type { Service } from '../service.js';

/** The same service, whose requests have this priority and payer unless they name others. */
export function withPriority(service: Service, priority: Service.Priority, payer?: Service.Payer): Service {
  const base = bases.get(service) ?? service;
  const prioritised: Service = {
    ...base,
    request: (method, params, options) => base.request(method, params, own({ priority, payer, ...options })),
  };
  bases.set(prioritised, base);
  return prioritised;
}

/** The service below each that has a priority: a second priority replaces the first, and adds no layer. */
const bases = new WeakMap<Service, Service>();

/** Charges no dapp: for what the person does in the wallet, for what they have approved, and for the wallet's own work. */
export const noDapp: Service.Payer = Object.freeze({ dapp: null });

/** The service for what the person does in the wallet or has approved: its requests wait for no dapp, and have the reserve. */
export const asPerson = (service: Service): Service => withPriority(service, 'person', noDapp);
