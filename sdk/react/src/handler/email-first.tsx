import { useEffect, useRef, useState } from 'react';
import type { PlainText } from '../texts/texts.ts';
import { useTexts } from '../texts/use-texts.ts';
import { type SignInTab, useHandler } from './context.ts';
import { Button } from './controls.tsx';
import { EmailCodeForm, type SentCode } from './email-code-form.tsx';
import { EmailForm } from './email-form.tsx';
import { readLastUsed } from './last-used.ts';
import { PasswordSignInForm, type SignInFormProps } from './password-sign-in-form.tsx';
import { PasswordSignUpForm } from './password-sign-up-form.tsx';

const hints: Readonly<Record<SignInTab, PlainText>> = {
  'magic-link': 'Last used: email code',
  password: 'Last used: password',
};
const switches: Readonly<Record<SignInTab, { other: SignInTab; label: PlainText }>> = {
  'magic-link': { other: 'password', label: 'Use a password instead' },
  password: { other: 'magic-link', label: 'Use an email code instead' },
};

type EmailFirstProps = SignInFormProps & {
  type: 'sign-in' | 'sign-up';
  /** At least one. */
  methods: readonly SignInTab[];
  onSent: (sent: SentCode) => void;
};

/** Asks for the email address, then for what goes with it. A single method is shown at once. */
export function EmailFirst({ type, methods, onSent, ...form }: EmailFirstProps) {
  const { t } = useTexts();
  const { firstTab } = useHandler();
  const [lastUsed] = useState(readLastUsed);
  const [chosen, setChosen] = useState<SignInTab | null>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (chosen !== null) box.current?.querySelector<HTMLElement>('input[type=password], button[type=submit]')?.focus();
  }, [chosen]);
  const used = type === 'sign-in' ? methods.find((method) => method === lastUsed) : undefined;
  const preferred = used ?? methods.find((method) => method === firstTab) ?? methods[0] ?? 'password';
  const method = methods.length > 1 ? chosen : preferred;
  if (method === null) {
    return (
      <EmailForm
        {...form}
        submitLabel={t('Continue')}
        submit={async () => setChosen(preferred)}
        {...(used && { hint: t(hints[used]) })}
      />
    );
  }
  const PasswordForm = type === 'sign-in' ? PasswordSignInForm : PasswordSignUpForm;
  const { other, label } = switches[method];
  return (
    <div ref={box} className="gbh-form">
      {method === 'password' ? <PasswordForm {...form} /> : <EmailCodeForm {...form} onSent={onSent} />}
      {methods.includes(other) && (
        <Button tone="quiet" onClick={() => setChosen(other)}>
          {t(label)}
        </Button>
      )}
    </div>
  );
}
