import { t } from '@lingui/core/macro';
import type { ReactNode } from 'react';
import { settingsPages } from '../lib/settings-pages.ts';
import { useTitle } from '../lib/use-title.ts';
import { PlainLink } from './app-link.tsx';
import { Page } from './page.tsx';
import classes from './settings-frame.module.css';

type SettingsFrameProps = {
  /** One of `settingsPages`. */
  path: string;
  projectId: string;
  projectName: string | undefined;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A page of the settings, beside the list of all of them. */
export function SettingsFrame({ path, projectId, projectName, lead, actions, children }: SettingsFrameProps) {
  const title = settingsPages.find((page) => page.path === path)?.label ?? t`Settings`;
  useTitle(title, t`Settings`, projectName);
  return (
    <div className={classes.frame}>
      <Page title={title} lead={lead} actions={actions}>
        <div className={classes.columns}>
          <nav aria-label={t`Settings`} className={classes.nav}>
            <ul className={classes.list}>
              {settingsPages.map((page) => (
                <li key={page.path}>
                  <PlainLink
                    href={`/projects/${projectId}${page.path}`}
                    className={classes.link}
                    {...(page.path === path && { 'aria-current': 'page' })}
                  >
                    {page.label}
                  </PlainLink>
                </li>
              ))}
            </ul>
          </nav>
          <div className={classes.content}>{children}</div>
        </div>
      </Page>
    </div>
  );
}
