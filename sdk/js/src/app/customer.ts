import type { Read } from './cache.ts';
import { fromWire } from './fields.ts';
import { type NotOffered, notOffered } from './not-offered.ts';
import { type Context, readList, readPath } from './reads.ts';

/** Gatebook sells nothing, so everyone is a customer without purchases. */
export type Customer = NotOffered<
  | 'createCheckoutUrl'
  | 'createPaymentMethodSetupIntent'
  | 'getItem'
  | 'listInvoices'
  | 'setDefaultPaymentMethodFromSetupIntent'
  | 'switchSubscription'
> & {
  getBilling: Read<[], { hasCustomer: boolean; defaultPaymentMethod: null }>;
  listProducts: Read<[options?: object], never[]>;
};

export const customerOf = (context: Context, type: 'user' | 'team', id: string): Customer => ({
  ...notOffered(
    'createCheckoutUrl',
    'createPaymentMethodSetupIntent',
    'getItem',
    'listInvoices',
    'setDefaultPaymentMethodFromSetupIntent',
    'switchSubscription',
  ),
  getBilling: readPath(
    context,
    () => `/payments/billing/${type}/${id}`,
    fromWire<{ has_customer: false; default_payment_method: null }>,
  ),
  listProducts: readList(
    context,
    () => `/payments/products/${type}/${id}`,
    (view: never) => view,
  ),
});
