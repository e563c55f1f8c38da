import { useEffect, useRef, useState } from 'react';
import { SignedInCard, SignUpDisabledCard, UnknownErrorCard } from '../cards.tsx';
import { type SignInTab, useHandler, useProductName, useProject, useUser } from '../context.ts';
import { PageLink, Separator } from '../controls.tsx';
import { EmailCodeForm, type SentCode } from '../email-code-form.tsx';
import { EmailCodeStep } from '../email-code-step.tsx';
import { Card, LoadingCard } from '../frame.tsx';
import { canUsePasskeys, PasskeyButton } from '../passkey-button.tsx';
import { PasswordSignInForm } from '../password-sign-in-form.tsx';
import { PasswordSignUpForm } from '../password-sign-up-form.tsx';
import { ProviderButtons } from '../provider-buttons.tsx';
import { SignInStages, UntrustedReturnCard } from '../stages.tsx';
import { type Tab, Tabs } from '../tabs.tsx';
import { useSignIn } from '../use-sign-in.ts';

type Type = 'sign-in' | 'sign-up';
const titles: Record<Type, string> = { 'sign-in': 'Sign in', 'sign-up': 'Create an account' };

/** The sign-in and sign-up pages (protocol, client §3.2, §3.3). */
export function AuthPage({ type }: { type: Type }) {
  const signIn = useSignIn();
  const project = useProject();
  const user = useUser();
  const title = titles[type];
  if (signIn.stage.at === 'start') {
    if (project.error !== undefined) return <UnknownErrorCard error={project.error} />;
    if (user.error !== undefined) return <UnknownErrorCard error={user.error} />;
    if (project.value === undefined || user.value === undefined) return <LoadingCard title={title} label="Loading" />;
    if (user.value !== null) return <AlreadySignedIn type={type} />;
    if (type === 'sign-up' && !project.value.config.signUpEnabled) return <SignUpDisabledCard />;
  }
  return (
    <SignInStages signIn={signIn} title={title}>
      <Start type={type} signIn={signIn} />
    </SignInStages>
  );
}

function AlreadySignedIn({ type }: { type: Type }) {
  const { automaticRedirect } = useHandler();
  return automaticRedirect ? <LeaveSignedIn type={type} /> : <SignedInCard />;
}

/** Redirects to the return target; shows a card if redirects are off. */
function LeaveSignedIn({ type }: { type: Type }) {
  const { app } = useHandler();
  const [state, setState] = useState<'redirecting' | 'done' | 'untrusted-return'>('redirecting');
  useEffect(() => {
    let isShown = true;
    app.redirects.to(type === 'sign-in' ? 'afterSignIn' : 'afterSignUp', { replace: true }).then(
      () => isShown && setState('done'),
      () => isShown && setState('untrusted-return'),
    );
    return () => {
      isShown = false;
    };
  }, [app, type]);
  if (state === 'untrusted-return') return <UntrustedReturnCard />;
  if (state === 'done') return <SignedInCard />;
  return <LoadingCard title={titles[type]} label="Signed in. Redirecting." />;
}

function Start({ type, signIn: { runSignIn } }: { type: Type; signIn: ReturnType<typeof useSignIn> }) {
  const { firstTab, extraInfo, isPage } = useHandler();
  const product = useProductName();
  const config = useProject().value?.config;
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState<SentCode | null>(null);
  const [tab, setTab] = useState<SignInTab>(firstTab);
  const forms = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a phone the keyboard would cover the other sign-in methods.
    if (isPage && matchMedia('(pointer: fine)').matches) forms.current?.querySelector('input')?.focus();
  }, [isPage]);
  if (!config) return null;
  if (sent) {
    return <EmailCodeStep sent={sent} onSentAgain={setSent} runSignIn={runSignIn} onCancel={() => setSent(null)} />;
  }
  const PasswordForm = type === 'sign-in' ? PasswordSignInForm : PasswordSignUpForm;
  const shared = { email, onEmail: setEmail };
  const tabs: Tab<SignInTab>[] = [
    ...(config.magicLinkEnabled
      ? [{ name: 'magic-link' as const, label: 'Email code', panel: <EmailCodeForm {...shared} onSent={setSent} /> }]
      : []),
    ...(config.credentialEnabled
      ? [{ name: 'password' as const, label: 'Password', panel: <PasswordForm {...shared} runSignIn={runSignIn} /> }]
      : []),
  ];
  const inOrder = firstTab === 'password' ? tabs.toReversed() : tabs;
  const hasPasskey = type === 'sign-in' && config.passkeyEnabled && canUsePasskeys();
  const providers = config.oauthProviders;
  const hasButtons = hasPasskey || providers.length > 0;
  return (
    <Card
      title={titles[type]}
      lead={
        product && (
          <>
            {type === 'sign-in' ? 'to' : 'for'} {product}
          </>
        )
      }
      foot={<SwitchPageLink type={type} />}
    >
      {providers.length > 0 && (
        <ProviderButtons providers={providers} verb={type === 'sign-in' ? 'Sign in' : 'Sign up'} />
      )}
      {hasPasskey && <PasskeyButton runSignIn={runSignIn} />}
      {hasButtons && tabs.length > 0 && <Separator>or</Separator>}
      <div ref={forms}>
        <Tabs label="Sign-in methods" tabs={inOrder} current={tab} onChange={setTab} />
      </div>
      {!hasButtons && tabs.length === 0 && <p className="gbh-text">No sign-in method is enabled.</p>}
      {extraInfo && <div className="gbh-extra">{extraInfo}</div>}
    </Card>
  );
}

function SwitchPageLink({ type }: { type: Type }) {
  const { value } = useProject();
  if (type === 'sign-up') {
    return (
      <>
        Already have an account? <PageLink to="signIn">Sign in</PageLink>
      </>
    );
  }
  if (!value?.config.signUpEnabled) return null;
  return (
    <>
      Don't have an account? <PageLink to="signUp">Sign up</PageLink>
    </>
  );
}
