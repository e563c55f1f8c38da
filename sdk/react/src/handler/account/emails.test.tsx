// @vitest-environment happy-dom

import type { ContactChannel } from '@gatebook/js/core';
import { AnswerError } from '@gatebook/js/errors';
import { screen } from '@testing-library/react';
import { describe, expect, test, vi } from 'vitest';
import { channel, fresh, second, section, show } from '../testing/show-account.tsx';
import { answers, fill, press, rejected } from '../testing/show-page.tsx';

const disabled = (name: string) => screen.getByRole('button', { name }).getAttribute('aria-disabled');

describe('email addresses', () => {
  test('show their state, primary first, and the last one for sign-in cannot be removed', async () => {
    await show('#auth', { channels: { list: async () => [fresh, second, channel()] } });
    const { findAllByRole } = await section('Email addresses');
    const rows = await findAllByRole('listitem');
    expect(rows.map((row) => row.querySelector('.gbh-row-text')?.textContent)).toEqual([
      'ann@example.com PrimaryUsed for sign-in',
      'two@example.com ',
      'new@example.com Not verified',
    ]);
    expect(
      rows.map((row) => [...row.querySelectorAll('button')].map((button) => button.getAttribute('aria-label'))),
    ).toEqual([
      [],
      ['Make two@example.com primary', 'Use two@example.com for sign-in', 'Remove two@example.com'],
      ['Send verification email to new@example.com', 'Remove new@example.com'],
    ]);
  });

  test('can be verified, made primary and used for sign-in', async () => {
    const sendVerification = answers(undefined);
    const update = answers(second);
    await show('#auth', { channels: { list: async () => [channel(), second, fresh], sendVerification, update } });
    await press('Send verification email to new@example.com');
    await screen.findByText(/Verification email sent/);
    expect(sendVerification).toHaveBeenCalledExactlyOnceWith(fresh, `${location.origin}/handler/email-verification`);
    await press('Make two@example.com primary');
    await vi.waitFor(() => expect(update.mock.calls).toEqual([[second, { isPrimary: true }]]));
    await vi.waitFor(() => expect(disabled('Use two@example.com for sign-in')).toBe('false'));
    await press('Use two@example.com for sign-in');
    await vi.waitFor(() => expect(update).toHaveBeenLastCalledWith(second, { usedForAuth: true }));
  });

  test('show an error if another account uses them for sign-in', async () => {
    const update = rejected('CONTACT_CHANNEL_ALREADY_USED_FOR_AUTH_BY_SOMEONE_ELSE');
    await show('#auth', { channels: { list: async () => [channel(), second], update } });
    await press('Use two@example.com for sign-in');
    expect((await screen.findByRole('alert')).textContent).toContain('Another account');
  });

  test('are removed after a confirmation that takes the focus and returns it', async () => {
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
    await press('Remove email');
    await vi.waitFor(() => expect(screen.queryByText('two@example.com')).toBeNull());
    expect(remove).toHaveBeenCalledExactlyOnceWith(second);
  });

  test('are validated, added, and sent a verification email', async () => {
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
      ['ann', 'complete email address'],
    ] as const) {
      fill('Add an email address', typed);
      await press('Add email');
      expect((await screen.findByRole('alert')).textContent).toContain(fault);
    }
    fill('Add an email address', ' new@example.com ');
    await press('Add email');
    await screen.findByText('Verification email sent to new@example.com.');
    expect(create).toHaveBeenCalledExactlyOnceWith('me', { value: 'new@example.com', usedForAuth: false });
    expect(sendVerification).toHaveBeenCalledOnce();
  });

  test('can be loaded again after an error', async () => {
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
