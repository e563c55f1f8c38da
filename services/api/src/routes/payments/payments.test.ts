import { describe, expect, test } from 'vitest';
import { createProject, expectKnown, expectPlain, signUp, unknownId } from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';

const { send } = await startSuite();
const project = await createProject(send, { config: { client_team_creation_enabled: true } });
const user = await signUp(send, project);
const stranger = await signUp(send, project);
const asUser = { ...project, as: user.accessToken };
const asServer = { ...project, access: 'server' as const };
const team = (await send('POST', '/teams', { ...asUser, body: { display_name: 'Crew', creator_user_id: 'me' } })).body;
const others = { ...project, as: stranger.accessToken };

const noBilling = { has_customer: false, default_payment_method: null };
const nothing = { items: [], is_paginated: true, pagination: { next_cursor: null } };
const lists = ['products', 'invoices'] as const;

describe('payments', () => {
  test('are empty for the signed-in user, their teams, and any user or team of a server', async () => {
    for (const caller of [asUser, asServer]) {
      for (const path of [`user/${user.userId}`, `team/${team.id}`]) {
        const billing = await send('GET', `/payments/billing/${path}`, caller);
        expect([billing.status, billing.body]).toEqual([200, noBilling]);
        for (const list of lists) {
          expect((await send('GET', `/payments/${list}/${path}`, caller)).body).toEqual(nothing);
          expect((await send('GET', `/payments/${list}/${path}?limit=1&cursor=x`, caller)).body).toEqual(nothing);
        }
      }
      for (const list of lists) {
        expect((await send('GET', `/payments/${list}/custom/organization-1`, caller)).body).toEqual(nothing);
      }
    }
  });

  test.each(['billing', ...lists])('reject other users, other teams and unknown customers: %s', async (what) => {
    const get = (path: string, caller: object) => send('GET', `/payments/${what}/${path}`, caller);
    expectPlain(await get(`user/${user.userId}`, others), 403);
    expectKnown(await get(`team/${team.id}`, others), 404, 'TEAM_MEMBERSHIP_NOT_FOUND', {
      team_id: team.id,
      user_id: stranger.userId,
    });
    for (const type of ['user', 'team']) {
      expectKnown(await get(`${type}/${unknownId}`, project), 400, 'CANNOT_GET_OWN_USER_WITHOUT_USER');
      expectKnown(await get(`${type}/${unknownId}`, asServer), 400, 'CUSTOMER_DOES_NOT_EXIST', {
        customer_id: unknownId,
      });
    }
  });
});
