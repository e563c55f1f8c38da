import { describe, expect, test } from 'vitest';
import { ownServer, resolveSender, serverOf } from './sender.ts';

describe('the sender', () => {
  const shared = { url: 'smtp://user:secret@mail.example.com:2525', senderEmail: 'auth@example.com' };
  const secrets = { oauthClientSecrets: {}, emailPassword: 'own secret' };

  test('is the shared SMTP server with the defused name of the project', () => {
    const config = { emailConfig: { type: 'shared' } } as const;
    const { server, sender } = resolveSender({ displayName: 'evil.com', config, secrets }, shared);
    expect(server).toMatchObject({ host: 'mail.example.com', port: 2525, username: 'user', password: 'secret' });
    expect(sender).toMatchObject({ type: 'shared', senderEmail: 'auth@example.com', username: 'user' });
    expect(sender.senderName).not.toContain('evil.com');
    expect(JSON.stringify(sender)).not.toContain('secret');
  });

  test('has no server without a shared SMTP server', () => {
    const config = { emailConfig: { type: 'shared' } } as const;
    const { server, sender } = resolveSender({ displayName: 'Shop', config, secrets }, null);
    expect(server).toBeNull();
    expect(sender).toMatchObject({ type: 'shared', host: null, senderName: 'Shop' });
  });

  test('is the project’s own SMTP server', () => {
    const own = {
      host: 'smtp.shop.example',
      port: 465,
      username: 'shop',
      senderName: 'Shop',
      senderEmail: 'shop@shop.example',
    };
    const config = { emailConfig: { type: 'standard', ...own } } as const;
    const { server, sender } = resolveSender({ displayName: 'x', config, secrets }, shared);
    expect(server).toEqual({
      owner: 'project',
      host: 'smtp.shop.example',
      port: 465,
      isSecure: true,
      username: 'shop',
      password: 'own secret',
    });
    expect(sender).toEqual({ type: 'standard', ...own });
    expect(ownServer({ ...own, username: '', password: 'x' })).toMatchObject({ username: null, password: null });
  });

  test('has default SMTP ports', () => {
    expect(serverOf('smtp://mail.example.com')).toMatchObject({ port: 587, isSecure: false, username: null });
    expect(serverOf('smtps://mail.example.com')).toMatchObject({ port: 465, isSecure: true });
  });

  test('uses TLS from the start on port 465 regardless of the scheme', () => {
    expect(serverOf('smtp://mail.example.com:465').isSecure).toBe(true);
    expect(ownServer({ host: 'x', port: 465, username: '', password: null }).isSecure).toBe(true);
    expect(ownServer({ host: 'x', port: 587, username: '', password: null }).isSecure).toBe(false);
  });

  test('can have special characters in its credentials', () => {
    expect(serverOf('smtp://a%40b:%C3%BC%zz@[::1]:25')).toMatchObject({
      host: '::1',
      username: 'a@b',
      password: 'ü%zz',
    });
  });
});
