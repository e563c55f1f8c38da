import { csvStart, toCsvRow } from '@gatebook/contract/csv';
import { userExportColumns } from '@gatebook/contract/import/user-export';
import type { User } from '@gatebook/js/admin';
import { newId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import { startImports } from './testing/imports.ts';

const { world, addProject, write, importFile, idOf, stateOf, createdOf } = startImports();

const names = ['Bo, "the cook"', 'Ann\nAchebe', '=1+1', '@sum;=2', "'quoted'", 'a\u202eb', '-5\r\n+6'];
const metadata = { note: 'x;=1, "y"\n', path: 'C:\\u202e', mark: '\u202e' };

/** Users as the dashboard reads them. */
const exportedUsers = (): User[] =>
  names.map((displayName, nth) => ({
    id: newId(),
    displayName,
    primaryEmail: nth === 1 ? '=ann@example.com' : `user${nth}@example.com`,
    primaryEmailVerified: nth % 2 === 0,
    primaryEmailAuthEnabled: true,
    profileImageUrl: 'https://img.example/a.png',
    signedUpAt: new Date('2019-02-03T04:05:06.789Z'),
    lastActiveAt: new Date('2020-02-03T04:05:06.789Z'),
    hasPassword: true,
    otpAuthEnabled: nth % 2 === 0,
    passkeyAuthEnabled: false,
    isMultiFactorRequired: nth === 0,
    isAnonymous: false,
    restriction: nth === 2 ? 'restricted_by_administrator' : null,
    restrictedByAdmin: nth === 2,
    restrictedByAdminReason: nth === 2 ? '+spam, "again"' : null,
    restrictedByAdminPrivateDetails: null,
    clientMetadata: metadata,
    clientReadOnlyMetadata: null,
    serverMetadata: metadata,
    oauthProviders: [{ id: 'google', accountId: `g${nth}`, email: null }],
    countryCode: 'SE',
    riskScores: { bot: 0, freeTrialAbuse: 0 },
  }));

function toCsv(users: readonly User[]): string {
  const rows = users.map((user) => [
    ...[user.id, user.displayName, user.primaryEmail, user.primaryEmailVerified, 'Password, Google'],
    ...[user.isMultiFactorRequired, user.signedUpAt.toISOString(), user.lastActiveAt.toISOString(), user.isAnonymous],
    ...[user.restrictedByAdmin, user.restrictedByAdminReason, user.countryCode],
    ...[JSON.stringify(user.clientMetadata), null, JSON.stringify(user.serverMetadata)],
  ]);
  return csvStart + [userExportColumns, ...rows].map(toCsvRow).join('');
}
const toJsonLines = (users: readonly User[]) => users.map((user) => `${JSON.stringify(user)}\n`).join('');

const inCsv = 'sign_in_methods, last_active_at, country';
test.each([
  ['csv', toCsv, ['part mfa_factor', `part not_imported ${inCsv}`], `part not_imported ${inCsv}`],
  [
    ...(['json', toJsonLines] as const),
    ['part password_not_exported', 'part mfa_factor', 'part not_imported last_active_at, country_code'],
    'part not_imported last_active_at, country_code',
  ],
])('the dashboard’s export of users is imported as %s, field by field', async (source, toFile, firstLost, lost) => {
  const users = exportedUsers();
  const file = await write(`own.${source}`, toFile(users));
  const head = await world.operator.store.head();
  const rehearsed = await importFile(source, file, '--dry-run');
  expect(await world.operator.store.head()).toBe(head);
  const result = await importFile(source, file);
  expect(result).toMatchObject({ code: 0, users: { rows: names.length, created: names.length, rejected: 0 } });
  expect(rehearsed).toMatchObject({ users: result.users, brief: result.brief });
  const brief = result.brief.map((line: string) => line.replace(/^\d+ /, ''));
  expect(brief.slice(0, firstLost.length)).toEqual(firstLost);
  expect(brief.at(-1)).toBe(lost);

  for (const user of users) {
    expect((await createdOf(user.id))?.data).toMatchObject({
      displayName: user.displayName,
      signedUpAt: user.signedUpAt.toISOString(),
      clientMetadata: metadata,
      serverMetadata: metadata,
      ...(source === 'json' && { profileImageUrl: user.profileImageUrl }),
    });
    const state = await stateOf(user.id);
    expect(state.channels).toMatchObject([
      { value: user.primaryEmail, isVerified: user.primaryEmailVerified, usedForAuth: true },
    ]);
    expect(state.isOtpEnabled).toBe(user.otpAuthEnabled);
    expect(state.adminRestriction).toEqual(
      user.restrictedByAdmin ? expect.objectContaining({ reason: user.restrictedByAdminReason }) : null,
    );
    const accounts = user.oauthProviders.map(({ id, accountId }) => ({ provider: id, accountId }));
    expect(state.oauthAccounts).toMatchObject(source === 'json' ? accounts : []);
  }
});

test('another project of the server takes the users of an export with new IDs', async () => {
  const users = exportedUsers();
  const file = await write('again.csv', toCsv(users));
  await importFile('csv', file);
  await addProject('Other');
  expect(await importFile('csv', file, '--new-ids')).toMatchObject({ code: 0, users: { created: names.length } });
});

test('fields of the API are imported in snake_case, and unknown ones are named', async () => {
  const row = { id: 'a', primary_email: 'a@example.com', signed_up_at_millis: 1_549_166_706_789, shoe_size: 44 };
  const { users, brief } = await importFile('json', await write('api.json', JSON.stringify([row])));
  expect([users.created, brief]).toEqual([1, ['1 part not_imported shoe_size']]);
  expect((await createdOf(idOf('json', 'a')))?.data).toMatchObject({ signedUpAt: '2019-02-03T04:05:06.789Z' });
});
