import { type ReactNode, useEffect, useRef } from 'react';
import { useHandler, useProductName, useTitle } from './context.ts';

/** The layout around every page. */
export function Frame({ children }: { children: ReactNode }) {
  const { brand, backdrop, fullPage } = useHandler();
  const product = useProductName();
  return (
    <div className="gbh" data-full-page={fullPage}>
      <header className="gbh-head">{brand ?? <span className="gbh-brand">{product}</span>}</header>
      <main className="gbh-main">
        <div className="gbh-stage">
          {backdrop}
          {children}
        </div>
      </main>
    </div>
  );
}

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
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  return (
    <>
      <section className="gbh-card" data-tone={tone}>
        {icon && <div className="gbh-badge">{icon}</div>}
        <h1 className="gbh-title" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p className="gbh-lead">{lead}</p>}
        {children && <div className="gbh-body">{children}</div>}
      </section>
      {foot && <p className="gbh-foot">{foot}</p>}
    </>
  );
}

export function LoadingCard({ title, label }: { title: string; label: string }) {
  useTitle(title);
  return (
    <section className="gbh-card" aria-busy="true">
      <h1 className="gbh-unseen">{title}</h1>
      <p className="gbh-unseen" role="status">
        {label}
      </p>
      <div className="gbh-bones" aria-hidden="true">
        <i />
        <i />
        <i />
        <i />
      </div>
    </section>
  );
}
