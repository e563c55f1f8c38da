// @vitest-environment happy-dom

import type { ContactChannel } from '@gatebook/js/contact-channels';
import { AnswerError } from '@gatebook/js/errors';
import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { channel, fresh, second, section, show } from '../testing/show-account.tsx';
import { answers, fill, press, rejected } from '../testing/show-page.tsx';

const disabled = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-disabled');

describe('addresses', () => {
  test('say what they are, the primary one first, and the last that signs in stays', async () => {
    await show('#auth', { channels: { list: async () => [fresh, second, channel()] } });
    const { findAllByRole } = await section('E-mail addresses');
    const rows = await findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.gbh-row-text')?.textContent)).toEqual([
      'ann@example.com PrimarySigns in',
      'two@example.com ',
      'new@example.com Not verified',
    ]);
    expect(
      rows.map((row) => [...row.querySelectorAll('button')].map((button) => button.getAttribute('aria-label'))),
    ).toEqual([
      [],
      ['Make two@example.com the primary address', 'Sign in with two@example.com', 'Remove two@example.com'],
      ['Mail a link to verify new@example.com', 'Remove new@example.com'],
    ]);
  });

  test('are verified by mail, made primary, and used for signing in', async () => {
    const sendVerification = answers(undefined);
    const update = answers(second);
    await show('#auth', { channels: { list: async () => [channel(), second, fresh], sendVerification, update } });
    await press('Mail a link to verify new@example.com');
    await screen.findByText(/on its way/);
    expect(sendVerification).toHaveBeenCalledExactlyOnceWith(fresh, `${location.origin}/handler/email-verification`);
    await press('Make two@example.com the primary address');
    await vi.waitFor(() => expect(update.mock.calls).toEqual([[second, { isPrimary: true }]]));
    await vi.waitFor(() => expect(disabled('Sign in with two@example.com')).toBe('false'));
    await press('Sign in with two@example.com');
    await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith(second, { usedForAuth: true }));
  });

  test('that somebody else signs in with say so', async () => {
    const update = rejected('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE');
    await show('#auth', { channels: { list: async () => [channel(), second], update } });
    await press('Sign in with two@example.com');
    expect((await screen.findByRole('alert')).textContent).toContain('Somebody else');
  });

  test('are removed after a question, which takes the focus and gives it back', async () => {
    let list = [channel(), second];
    const remove = vi.fn(async (gone: ContactChannel) => {
      list = list.filter(({ id }) => id !== gone.id);
    });
    await show('#auth', { channels: { list: async () => list, delete: remove } });
    await press('Remove two@example.com');
    expect(document.activeElement?.textContent).toBe('Remove two@example.com from your account?');
    await press('Cancel');
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Remove two@example.com');
    expect(remove).not.toHaveBeenCalled();
    await press('Remove two@example.com');
    await press('Remove it');
    await vi.waitFor(() => expect(screen.queryByText('two@example.com')).toBeNull());
    expect(remove).toHaveBeenCalledExactlyOnceWith(second);
  });

  test('are added once, whole, and with a mail', async () => {
    let list = [channel()];
    const create = vi.fn(async () => {
      list = [...list, fresh];
      return fresh;
    });
    const sendVerification = answers(undefined);
    await show('#auth', { channels: { list: async () => list, create, sendVerification } });
    await screen.findByText('ann@example.com');
    for (const [typed, fault] of [
      ['ANN@example.com', 'already'],
      ['ann', 'whole e-mail address'],
    ] as const) {
      fill('Another address', typed);
      await press('Add the address');
      expect((await screen.findByRole('alert')).textContent).toContain(fault);
    }
    fill('Another address', ' new@example.com ');
    await press('Add the address');
    await screen.findByText('A mail to verify new@example.com is on its way.');
    expect(create).toHaveBeenCalledExactlyOnceWith('me', { value: 'new@example.com', usedForAuth: false });
    expect(sendVerification).toHaveBeenCalledOnce();
  });

  test('can be asked for again after a failure', async () => {
    let isDown = true;
    const list = async () => {
      if (isDown) throw new AnswerError('u', 500, '');
      return [channel()];
    };
    await show('#auth', { channels: { list } });
    await screen.findByRole('alert');
    isDown = false;
    await press('Try again');
    await screen.findByText('ann@example.com');
    await vi.waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
  });
});
