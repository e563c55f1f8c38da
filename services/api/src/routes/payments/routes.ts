import { BillingParams, BillingView, CustomerParams, NoPurchases, PurchasesQuery } from '@gatebook/contract/payments';
import { DomainError, type DomainErrorCode, reject } from '@gatebook/domain/errors';
import { findTeam } from '@gatebook/readmodel/teams/queries';
import { findUser } from '@gatebook/readmodel/users/queries';
import type { z } from 'zod';
import { actOnUserErrors, clientAndUp, mayActOn } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute, type Route } from '../../http/define-route.ts';
import { requireTeamAccess } from '../teams/require-permission.ts';

/*
 * The account page of newer clients asks for billing and purchases. Gatebook has no payments, so nothing is there
 * (protocol, payments §1).
 */

const tags = ['Payments and analytics'];
const errors: readonly DomainErrorCode[] = [...actOnUserErrors, 'TEAM_MEMBERSHIP_NOT_FOUND', 'CUSTOMER_DOES_NOT_EXIST'];
const access = 'Client access is limited to the signed-in user and their teams.';

/**
 * @throws DomainError OTHER_USER_NOT_ALLOWED, CANNOT_GET_OWN_USER_WITHOUT_USER, TEAM_MEMBERSHIP_NOT_FOUND,
 *   CUSTOMER_DOES_NOT_EXIST
 */
async function checkCustomer(deps: Deps, caller: Caller, customer: z.output<typeof CustomerParams>): Promise<void> {
  const { customer_type: type, customer_id: id } = customer;
  if (type === 'user') {
    mayActOn(caller, id);
    await findUser(deps.db, caller.projectId, id).catch(rejectCustomer('USER_NOT_FOUND', id));
  }
  if (type === 'team') {
    await requireTeamAccess(deps, caller, {
      teamId: id,
      required: [],
      rejection: 'CANNOT_GET_OWN_USER_WITHOUT_USER',
    });
    await findTeam(deps.db, caller.projectId, id).catch(rejectCustomer('TEAM_NOT_FOUND', id));
  }
}

const rejectCustomer = (missing: DomainErrorCode, id: string) => (error: unknown) => {
  if (error instanceof DomainError && error.code === missing) reject('CUSTOMER_DOES_NOT_EXIST', { customer_id: id });
  throw error;
};

const getBillingRoute = defineRoute({
  method: 'GET',
  path: '/payments/billing/:customer_type/:customer_id',
  access: clientAndUp,
  errors,
  tags,
  summary: 'Get billing',
  description: `Gatebook has no payments, so there is no customer and no payment method. ${access}`,
  params: BillingParams,
  response: { 200: BillingView },
  handle: async ({ deps, caller, params }) => {
    await checkCustomer(deps, caller, params);
    return { has_customer: false as const, default_payment_method: null };
  },
});

const purchasesRoute = (what: 'products' | 'invoices') =>
  defineRoute({
    method: 'GET',
    path: `/payments/${what}/:customer_type/:customer_id`,
    access: clientAndUp,
    errors,
    tags,
    summary: `List ${what}`,
    description: `Gatebook has no payments, so the list is empty. ${access}`,
    params: CustomerParams,
    query: PurchasesQuery,
    response: { 200: NoPurchases },
    handle: async ({ deps, caller, params }) => {
      await checkCustomer(deps, caller, params);
      return { items: [], is_paginated: true as const, pagination: { next_cursor: null } };
    },
  });

export const paymentRoutes: readonly Route[] = [
  getBillingRoute,
  purchasesRoute('products'),
  purchasesRoute('invoices'),
];
