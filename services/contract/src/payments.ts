import { z } from 'zod';
import { textUpTo, uuid } from './common.ts';

/** Gatebook sells nothing: these are the shapes of empty answers (protocol, payments §1). */
export const BillingParams = z.strictObject({ customer_type: z.enum(['user', 'team']), customer_id: uuid });
export const CustomerParams = z.union([
  BillingParams,
  z.strictObject({ customer_type: z.literal('custom'), customer_id: textUpTo(256) }),
]);

export const BillingView = z
  .object({ has_customer: z.literal(false), default_payment_method: z.null() })
  .meta({ id: 'Billing' });

/** `limit` and `cursor` have no effect. */
export const PurchasesQuery = z.strictObject({ limit: textUpTo(16).optional(), cursor: textUpTo(256).optional() });
export const NoPurchases = z
  .object({
    items: z.array(z.never()),
    is_paginated: z.literal(true),
    pagination: z.object({ next_cursor: z.null() }),
  })
  .meta({ id: 'NoPurchases' });
