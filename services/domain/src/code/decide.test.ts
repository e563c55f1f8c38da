import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { given } from '../spec.ts';
import { type CodeCommand, codeDecider, findCodeFault, maxAttempts, type Presented } from './decide.ts';
import type { CodeEvent } from './events.ts';
import { type CodeState, initialState } from './state.ts';

const at = '2026-01-15T12:00:00.000Z';
const codeId = 'nonce-hash';
const data = {
  codeId,
  subjectId: '00000000-0000-4000-8000-000000000001',
  projectId: 'internal',
  purpose: 'password_reset' as const,
  codeHash: 'right',
  recipient: 'ann@example.com',
  addressRef: null,
  callbackUrl: null,
  payload: {},
  encryptedPayload: null,
  expiresAt: '2026-01-22T12:00:00.000Z',
  at,
};
const issued: CodeEvent = { type: 'CodeIssued', data };
const attempted: CodeEvent = { type: 'CodeAttempted', data: { codeId, at } };
const used: CodeEvent = { type: 'CodeUsed', data: { codeId, at, granted: null } };
const revoked: CodeEvent = { type: 'CodeRevoked', data: { codeId, at } };
const right: Presented = { codeHash: 'right', purpose: 'password_reset', projectId: 'internal', at };
const use = (presented: Presented) => ({ type: 'UseCode', presented }) as const;
const present = { type: 'PresentCode', at } as const;
const attempts = (count: number): CodeEvent[] => Array.from({ length: count }, () => attempted);

describe('a one-time code', () => {
  test('is issued', () =>
    given(codeDecider)
      .when({ type: 'IssueCode', ...data })
      .then(issued));
  test('is unknown once its recipient is erased, unless it was used', () => {
    const erased: CodeEvent = { type: 'CodeIssued', data: { ...data, addressRef: 'ref', recipient: null } };
    given(codeDecider, erased).when(use(right)).thenRejected('VERIFICATION_CODE_NOT_FOUND');
    given(codeDecider, erased, used).when(use(right)).thenRejected('VERIFICATION_CODE_ALREADY_USED');
  });
  test('can be used', () => given(codeDecider, issued).when(use(right)).then(used));
  test('counts each presentation', () => given(codeDecider, issued).when(present).then(attempted));
  test('stops counting at its limit', () => {
    given(codeDecider, issued, ...attempts(maxAttempts - 1))
      .when(present)
      .then(attempted);
    given(codeDecider, issued, ...attempts(maxAttempts))
      .when(present)
      .then();
  });
  test('does not count when it is unknown', () => given(codeDecider).when(present).then());
  test('is revoked once, and not after its use', () => {
    given(codeDecider, issued).when({ type: 'RevokeCode', at }).then(revoked);
    given(codeDecider, issued, revoked).when({ type: 'RevokeCode', at }).then();
    given(codeDecider, issued, used).when({ type: 'RevokeCode', at }).then();
    given(codeDecider).when({ type: 'RevokeCode', at }).then();
  });
});

describe('is rejected', () => {
  const notFound = 'VERIFICATION_CODE_NOT_FOUND';
  test('when unknown', () => given(codeDecider).when(use(right)).thenRejected(notFound));
  test('when revoked', () => given(codeDecider, issued, revoked).when(use(right)).thenRejected(notFound));
  test.each([
    ['other first characters', { codeHash: 'wrong' }],
    ['another purpose', { purpose: 'sign_in' as const }],
    ['another project', { projectId: 'other' }],
  ])('with %s', (_, change) =>
    given(codeDecider, issued)
      .when(use({ ...right, ...change }))
      .thenRejected(notFound),
  );
  test('from the moment it expires', () =>
    given(codeDecider, issued)
      .when(use({ ...right, at: data.expiresAt }))
      .thenRejected('VERIFICATION_CODE_EXPIRED'));
  test('once used', () =>
    given(codeDecider, issued, used).when(use(right)).thenRejected('VERIFICATION_CODE_ALREADY_USED'));
});

test('the 20th presentation works, the 21st does not', () => {
  const presentedBefore = (count: number) =>
    [issued, ...attempts(count)].reduce<CodeState>(codeDecider.evolve, codeDecider.initialState);
  expect(findCodeFault(right, presentedBefore(maxAttempts - 1))).toBeNull();
  expect(findCodeFault(right, presentedBefore(maxAttempts))).toBe('VERIFICATION_CODE_MAX_ATTEMPTS_REACHED');
});

test('faults of a code are reported in the order not found, expired, used, attempts', () => {
  const worst = [issued, used, ...attempts(maxAttempts)].reduce<CodeState>(
    codeDecider.evolve,
    codeDecider.initialState,
  );
  const late = { ...right, at: '2027-01-01T00:00:00.000Z' };
  expect(findCodeFault({ ...late, codeHash: 'wrong' }, worst)).toBe('VERIFICATION_CODE_NOT_FOUND');
  expect(findCodeFault(late, worst)).toBe('VERIFICATION_CODE_EXPIRED');
  expect(findCodeFault(right, worst)).toBe('VERIFICATION_CODE_ALREADY_USED');
});

test('a code whose recipient was erased can still be judged', () => {
  const state = codeDecider.evolve(codeDecider.initialState, {
    type: 'CodeIssued',
    data: { ...data, recipient: null },
  });
  expect(findCodeFault(right, state)).toBeNull();
});

test('a CLI login is approved once', () => {
  const userId = '00000000-0000-4000-8000-000000000002';
  const approve = { type: 'ApproveCode', userId, userRevision: 3, at } as const;
  const approved: CodeEvent = { type: 'CodeApproved', data: { codeId, userId, userRevision: 3, at } };
  given(codeDecider, issued).when(approve).then(approved);
  given(codeDecider, issued, approved).when(approve).thenRejected('CLI_LOGIN_CODE_INVALID');
  given(codeDecider, issued, revoked).when(approve).thenRejected('CLI_LOGIN_CODE_INVALID');
  given(codeDecider).when(approve).thenRejected('CLI_LOGIN_CODE_INVALID');
});

test('the anonymous session of a CLI login is handed over once, while the code is valid', () => {
  const handOver = { type: 'HandOverAnonymousSession', presented: right } as const;
  const handedOver: CodeEvent = { type: 'CodeAnonymousSessionHandedOver', data: { codeId, at } };
  given(codeDecider, issued).when(handOver).then(handedOver);
  given(codeDecider, issued, handedOver).when(handOver).thenRejected('CLI_ANONYMOUS_SESSION_NOT_FOUND');
  given(codeDecider, issued, used).when(handOver).thenRejected('CLI_LOGIN_CODE_INVALID');
  given(codeDecider, issued)
    .when({ type: 'HandOverAnonymousSession', presented: { ...right, at: data.expiresAt } })
    .thenRejected('CLI_LOGIN_CODE_INVALID');
  given(codeDecider).when(handOver).thenRejected('CLI_LOGIN_CODE_INVALID');
});

test('a code is used at most once and counted at most 20 times for any commands', () => {
  const tries = fc.constantFrom<CodeCommand[]>(
    present,
    use(right),
    use({ ...right, codeHash: 'wrong' }),
    use({ ...right, at: data.expiresAt }),
    { type: 'RevokeCode', at },
  );
  fc.assert(
    fc.property(fc.array(tries, { maxLength: 60 }), (commands) => {
      let state = codeDecider.evolve(initialState, issued);
      const events: CodeEvent[] = [];
      for (const command of commands) {
        try {
          const decided = codeDecider.decide(command, state);
          state = decided.reduce(codeDecider.evolve, state);
          events.push(...decided);
        } catch {
          expect(command.type).toBe('UseCode');
        }
      }
      const count = (type: CodeEvent['type']) => events.filter((event) => event.type === type).length;
      expect(count('CodeUsed') + count('CodeRevoked')).toBeLessThanOrEqual(1);
      expect(count('CodeAttempted')).toBeLessThanOrEqual(maxAttempts);
    }),
  );
});
