import { expect } from 'vitest';
import { type Cases, unrelated } from './kinds.ts';
import type { World } from './world.ts';

type Customer = Pick<Awaited<ReturnType<World['signedUp']>>['user'], 'getBilling' | 'listProducts'>;

/** Users and teams are customers. The account pages ask for the first two; Gatebook has an empty answer. */
export const customerCases = (make: (world: World) => Promise<Customer>): Cases => ({
  getBilling: async (world) => {
    const customer = await make(world);
    expect(await customer.getBilling()).toEqual({ hasCustomer: false, defaultPaymentMethod: null });
  },
  listProducts: async (world) => {
    const customer = await make(world);
    expect(await customer.listProducts()).toHaveLength(0);
  },
  listInvoices: unrelated('payments'),
  getItem: unrelated('payments'),
  grantProduct: unrelated('payments'),
  createCheckoutUrl: unrelated('payments'),
  createPaymentMethodSetupIntent: unrelated('payments'),
  setDefaultPaymentMethodFromSetupIntent: unrelated('payments'),
  switchSubscription: unrelated('payments'),
});
