import { type ReactNode, useEffect, useRef } from 'react';
import { useHandler, useTitle } from './context.ts';

type CardProps = {
  title: string;
  lead?: ReactNode;
  icon?: ReactNode;
  tone?: 'plain' | 'good' | 'bad';
  /** Shown below the card. */
  foot?: ReactNode;
  /** Moves the focus to the title, so that screen readers announce it. Off if a field takes the focus. */
  takesFocus?: boolean;
  children?: ReactNode;
};

export function Card({ title, lead, icon, tone = 'plain', foot, takesFocus = false, children }: CardProps) {
  useTitle(title);
  const { isPage } = useHandler();
  const Title = isPage ? 'h1' : 'h2';
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus && isPage) heading.current?.focus({ preventScroll: true });
  }, [takesFocus, isPage]);
  return (
    <>
      <section className="gbh-card" data-tone={tone}>
        {icon && <div className="gbh-badge">{icon}</div>}
        <Title className="gbh-title" ref={heading} tabIndex={-1}>
          {title}
        </Title>
        {lead && <p className="gbh-lead">{lead}</p>}
        {children && <div className="gbh-body">{children}</div>}
      </section>
      {foot && <p className="gbh-foot">{foot}</p>}
    </>
  );
}

export function LoadingCard({ title, label }: { title: string; label: string }) {
  useTitle(title);
  const { isPage } = useHandler();
  const Title = isPage ? 'h1' : 'h2';
  return (
    <section className="gbh-card" aria-busy="true">
      <Title className="gbh-unseen">{title}</Title>
      <p className="gbh-unseen" role="status">
        {label}
      </p>
      <Bones />
    </section>
  );
}

/** Gray lines in the place of a form. */
export function Bones() {
  return (
    <div className="gbh-bones" aria-hidden="true">
      <i />
      <i />
      <i />
      <i />
    </div>
  );
}
