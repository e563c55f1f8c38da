'use client';

import { type ReactNode, useState } from 'react';
import { useProject } from '../handler/context.ts';
import { EmailCodeForm, type SentCode } from '../handler/email-code-form.tsx';
import { EmailCodeStep } from '../handler/email-code-step.tsx';
import { MessageCard as Message } from '../handler/message-card.tsx';
import { PasswordSignInForm } from '../handler/password-sign-in-form.tsx';
import { PasswordSignUpForm } from '../handler/password-sign-up-form.tsx';
import { ProviderButtons } from '../handler/provider-buttons.tsx';
import { SignInStages } from '../handler/stages.tsx';
import { type RunSignIn, useSignIn } from '../handler/use-sign-in.ts';
import { useTexts } from '../texts/use-texts.ts';
import type { MockProject } from './mock-app.ts';
import { Part } from './part.tsx';

/** Texts of `Stages`. */
const titles = { signIn: 'Sign in', signUp: 'Create an account' } as const;

type FormProps = { email: string; onEmail: (email: string) => void; runSignIn: RunSignIn };

/** A form, and what follows it: the second factor, the redirect. */
function Stages({ titled, form }: { titled: keyof typeof titles; form: (props: FormProps) => ReactNode }) {
  const { t } = useTexts();
  const signIn = useSignIn();
  const [email, setEmail] = useState('');
  return (
    <SignInStages signIn={signIn} title={t(titles[titled])}>
      {form({ email, onEmail: setEmail, runSignIn: signIn.runSignIn })}
    </SignInStages>
  );
}

/** Email and password. */
export function CredentialSignIn() {
  return (
    <Part>
      <Stages titled="signIn" form={(props) => <PasswordSignInForm {...props} />} />
    </Part>
  );
}

export function CredentialSignUp({ noPasswordRepeat = false }: { noPasswordRepeat?: boolean }) {
  return (
    <Part given={{ noPasswordRepeat }}>
      <Stages titled="signUp" form={(props) => <PasswordSignUpForm {...props} />} />
    </Part>
  );
}

/** Sends a code by email, then asks for it. */
export function MagicLinkSignIn() {
  return (
    <Part>
      <Stages titled="signIn" form={(props) => <CodeForms {...props} />} />
    </Part>
  );
}

function CodeForms({ email, onEmail, runSignIn }: FormProps) {
  const [sent, setSent] = useState<SentCode | null>(null);
  if (!sent) return <EmailCodeForm email={email} onEmail={onEmail} onSent={setSent} />;
  return <EmailCodeStep sent={sent} onSentAgain={setSent} runSignIn={runSignIn} onCancel={() => setSent(null)} />;
}

type AuthType = 'sign-in' | 'sign-up';
export type OAuthButtonProps = {
  provider: string;
  type: AuthType;
  /** For previews: the button leads nowhere. */
  isMock?: boolean;
  /** In place of the sign-in. */
  onAuthenticate?: () => Promise<void>;
};

/** Leaves the page for the provider. */
export function OAuthButton({ isMock = false, ...props }: OAuthButtonProps) {
  const config = { oauthProviders: [{ id: props.provider }] };
  return (
    <Part {...(isMock && { mock: { project: { config } } })}>
      <ProviderButton {...props} />
    </Part>
  );
}

function ProviderButton({ provider: id, type, onAuthenticate }: Omit<OAuthButtonProps, 'isMock'>) {
  const known = useProject().value?.config.oauthProviders.find((provider) => provider.id === id);
  return (
    <ProviderButtons providers={[known ?? { id }]} type={type} {...(onAuthenticate && { signIn: onAuthenticate })} />
  );
}

export type OAuthButtonGroupProps = {
  type: AuthType;
  /** For previews. */
  mockProject?: MockProject<'oauthProviders'>;
};

/** One button for each provider of the project. */
export function OAuthButtonGroup({ type, mockProject }: OAuthButtonGroupProps) {
  return (
    <Part {...(mockProject && { mock: { project: mockProject } })}>
      <ProjectProviders type={type} />
    </Part>
  );
}

function ProjectProviders({ type }: { type: AuthType }) {
  const providers = useProject().value?.config.oauthProviders ?? [];
  return <ProviderButtons providers={providers} type={type} />;
}

export type MessageCardProps = {
  title: string;
  children?: ReactNode;
  fullPage?: boolean;
  primaryButtonText?: string;
  primaryAction?: () => void;
  secondaryButtonText?: string;
  secondaryAction?: () => void;
};

/** A button is shown if it has a text. */
export function MessageCard({ title, children, fullPage, ...buttons }: MessageCardProps) {
  const { primaryButtonText, primaryAction, secondaryButtonText, secondaryAction } = buttons;
  return (
    <Part fullPage={fullPage}>
      <Message
        title={title}
        {...(primaryButtonText !== undefined && {
          primary: { label: primaryButtonText, onPress: () => primaryAction?.() },
        })}
        {...(secondaryButtonText !== undefined && {
          secondary: { label: secondaryButtonText, onPress: () => secondaryAction?.() },
        })}
      >
        {children}
      </Message>
    </Part>
  );
}
