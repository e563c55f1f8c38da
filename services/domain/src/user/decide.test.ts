import { describe, expect, test } from 'vitest';
import { decideAll } from '../decider.ts';
import { given } from '../spec.ts';
import { type UserCommand, userDecider } from './decide.ts';
import type { UserEvent } from './events.ts';
import { unknownSignIn } from './events.ts';

const at = '2026-01-15T12:00:00.000Z';
const userId = '00000000-0000-4000-8000-000000000001';
const channelId = '00000000-0000-4000-8000-000000000002';
const newChannelId = '00000000-0000-4000-8000-000000000003';
const keptSessionId = '00000000-0000-4000-8000-000000000005';
const projectId = 'internal';
const profile = {
  displayName: null,
  profileImageUrl: null,
  clientMetadata: null,
  clientReadOnlyMetadata: null,
  serverMetadata: null,
  isAnonymous: false,
};
const created: UserEvent = {
  type: 'UserCreated',
  data: { ...unknownSignIn, userId, projectId, ...profile, method: 'password', at },
};
const flags = { isPrimary: true, isVerified: false, usedForAuth: true };
const channel = { userId, channelId, channelType: 'email' as const, value: 'ann@example.com', ...flags, at };
const channelAdded: UserEvent = { type: 'ContactChannelAdded', data: channel };
const passwordSet = (
  passwordHash: string | null,
  origin: 'sign_up' | 'set' | 'update' | 'server' | 'rehash',
): UserEvent => ({
  type: 'UserPasswordSet',
  data: { userId, passwordHash, origin, at },
});
const sessionsEnded = (
  reason: 'password_update' | 'password_by_server' | 'password_removed',
  kept: string | null = null,
): UserEvent => ({
  type: 'UserSessionsEnded',
  data: { userId, keptSessionId: kept, reason, at },
});
const deleted: UserEvent = {
  type: 'UserDeleted',
  data: { wasScheduled: false, addressRefs: [], userId, projectId, at },
};
const otpChanged = (isEnabled: boolean): UserEvent => ({ type: 'OtpAuthChanged', data: { userId, isEnabled, at } });

const ann = [created, channelAdded, passwordSet('hash', 'sign_up')];
const email = { channelId, value: 'ann@example.com', isVerified: false, usedForAuth: true };
const create: UserCommand = {
  type: 'CreateUser',
  userId,
  projectId,
  ...profile,
  method: 'password',
  email,
  passwordHash: 'hash',
  isOtpEnabled: false,
  permissions: [],
  at,
};

describe('creating a user', () => {
  test('records profile, email and password', () =>
    given(userDecider)
      .when(create)
      .then(...ann));
  test('without email and methods records only the profile', () =>
    given(userDecider)
      .when({ ...create, email: null, passwordHash: null })
      .then(created));
  test('by a server can turn on sign-in codes', () =>
    given(userDecider)
      .when({ ...create, method: 'server', isOtpEnabled: true })
      .then(
        { type: 'UserCreated', data: { ...unknownSignIn, ...created.data, method: 'server' } },
        channelAdded,
        passwordSet('hash', 'server'),
        otpChanged(true),
      ));
});

describe('a profile', () => {
  test('changes name, image and each kind of metadata', () => {
    given(userDecider, created)
      .when({ type: 'RenameUser', displayName: 'Ann', at })
      .then({ type: 'UserRenamed', data: { userId, displayName: 'Ann', at } });
    given(userDecider, created)
      .when({ type: 'ChangeUserImage', profileImageUrl: null, at })
      .then({ type: 'UserImageChanged', data: { userId, profileImageUrl: null, at } });
    given(userDecider, created)
      .when({ type: 'ChangeUserMetadata', scope: 'server', value: { plan: 'pro' }, at })
      .then({ type: 'UserMetadataChanged', data: { userId, scope: 'server', value: { plan: 'pro' }, at } });
  });
});

describe('passwords', () => {
  const update = (oldPasswordMatches: boolean | null) =>
    ({ type: 'UpdatePassword', oldPasswordMatches, passwordHash: 'new', keptSessionId, at }) as const;
  const byServer = (passwordHash: string | null, isMethodOn = true) =>
    ({ type: 'SetPasswordByServer', passwordHash, isMethodOn, at }) as const;

  test('can be set for the first time', () =>
    given(userDecider, created).when({ type: 'SetPassword', passwordHash: 'new', at }).then(passwordSet('new', 'set')));
  test("can't be set when one exists", () =>
    given(userDecider, ...ann)
      .when({ type: 'SetPassword', passwordHash: 'new', at })
      .thenRejected('USER_ALREADY_HAS_PASSWORD'));
  test('when updated end all sessions but the kept one', () =>
    given(userDecider, ...ann)
      .when(update(true))
      .then(passwordSet('new', 'update'), sessionsEnded('password_update', keptSessionId)));
  test("can't be updated when there is none", () =>
    given(userDecider, created).when(update(null)).thenRejected('USER_DOES_NOT_HAVE_PASSWORD'));
  test("can't be updated with a wrong old password", () =>
    given(userDecider, ...ann)
      .when(update(false))
      .thenRejected('PASSWORD_CONFIRMATION_MISMATCH'));
  test('changed or removed by a server end all sessions', () => {
    given(userDecider, ...ann)
      .when(byServer('new', false))
      .then(passwordSet('new', 'server'), sessionsEnded('password_by_server'));
    given(userDecider, ...ann)
      .when(byServer(null))
      .then({ type: 'UserPasswordRemoved', data: { userId, at } }, sessionsEnded('password_removed'));
    given(userDecider, created).when(byServer(null)).then(sessionsEnded('password_removed'));
  });
  test('set first by a server require the method and a primary email', () => {
    given(userDecider, created, channelAdded).when(byServer('new', false)).thenRejected('PASSWORD_METHOD_DISABLED');
    given(userDecider, created).when(byServer('new')).thenRejected('PASSWORD_REQUIRES_PRIMARY_EMAIL');
    given(userDecider, created, channelAdded)
      .when(byServer('new'))
      .then(passwordSet('new', 'server'), sessionsEnded('password_by_server'));
  });
  test('are rehashed only from the verified hash', () => {
    const rehash = { type: 'RehashPassword', passwordHash: 'new', replaces: 'hash', at } as const;
    given(userDecider, ...ann)
      .when(rehash)
      .then(passwordSet('new', 'rehash'));
    given(userDecider, ...ann, passwordSet('other', 'update'))
      .when(rehash)
      .then();
  });
});

describe('sign-in codes', () => {
  const change = (isEnabled: boolean, isMethodOn = true) =>
    ({ type: 'ChangeOtpAuth', isEnabled, isMethodOn, at }) as const;
  test('are turned on and off', () => {
    given(userDecider, created).when(change(true)).then(otpChanged(true));
    given(userDecider, created, otpChanged(true)).when(change(false, false)).then(otpChanged(false));
  });
  test('require the method only when turned on', () => {
    given(userDecider, created).when(change(true, false)).thenRejected('OTP_METHOD_DISABLED');
    given(userDecider, created, otpChanged(true)).when(change(true, false)).then();
    given(userDecider, created).when(change(false)).then();
  });
});

describe('deleting', () => {
  test('is recorded', () =>
    given(userDecider, ...ann)
      .when({ type: 'DeleteUser', addressRefs: [], at })
      .then(deleted));
  test('a user twice is rejected, and so is every later command', () => {
    given(userDecider, ...ann, deleted)
      .when({ type: 'DeleteUser', addressRefs: [], at })
      .thenRejected('USER_NOT_FOUND');
    given(userDecider, ...ann, deleted)
      .when({ type: 'RenameUser', displayName: 'x', at })
      .thenRejected('USER_NOT_FOUND');
  });
  test('is completed only once the keys are destroyed', () => {
    const complete = { type: 'RecordErasure', at } as const;
    const erased: UserEvent = { type: 'UserErased', data: { userId, projectId: 'internal', at } };
    given(userDecider, ...ann, deleted)
      .when(complete)
      .then(erased);
    given(userDecider, ...ann, deleted, erased)
      .when(complete)
      .then();
    given(userDecider, ...ann)
      .when(complete)
      .then();
    given(userDecider).when(complete).then();
  });
  test('an unknown user is rejected', () =>
    given(userDecider).when({ type: 'DeleteUser', addressRefs: [], at }).thenRejected('USER_NOT_FOUND'));
});

test('the stream of an erased user still folds', () => {
  const erased: UserEvent[] = [
    created,
    { ...channelAdded, data: { ...channel, value: null } },
    passwordSet(null, 'sign_up'),
  ];
  const state = erased.reduce(userDecider.evolve, userDecider.initialState);
  expect(state).toMatchObject({ status: 'active', hasPassword: true, passwordHash: null, channels: [{ value: null }] });
});

test('commands decided together see earlier decisions, and one rejection rejects all', () => {
  const state = [created].reduce(userDecider.evolve, userDecider.initialState);
  const withEmail: UserCommand = {
    type: 'ChangePrimaryEmail',
    email: 'ann@example.com',
    isVerified: false,
    usedForAuth: true,
    newChannelId,
    at,
  };
  const withPassword: UserCommand = { type: 'SetPasswordByServer', passwordHash: 'new', isMethodOn: true, at };
  expect(decideAll(userDecider, [withEmail, withPassword], state)).toHaveLength(3);
  expect(() => decideAll(userDecider, [withPassword, withEmail], state)).toThrow('PASSWORD_REQUIRES_PRIMARY_EMAIL');
});

test('an export of a user is recorded and changes only the revision', () => {
  const exported: UserEvent = { type: 'UserExported', data: { userId, at } };
  given(userDecider, ...ann)
    .when({ type: 'ExportUser', at })
    .then(exported);
  given(userDecider, ...ann, deleted)
    .when({ type: 'ExportUser', at })
    .thenRejected('USER_NOT_FOUND');
  const state = ann.reduce(userDecider.evolve, userDecider.initialState);
  expect(userDecider.evolve(state, exported)).toEqual({ ...state, revision: ann.length });
});
