import { StackProvider, StackTheme } from '@stackframe/stack';
import { type ReactNode, Suspense } from 'react';
import { gatebook } from '../gatebook';

export const metadata = { title: 'Gatebook with Next.js' };

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <StackProvider app={gatebook}>
          <StackTheme>
            {/* The components of the library suspend while they load. */}
            <Suspense fallback={<p>Loading …</p>}>{children}</Suspense>
          </StackTheme>
        </StackProvider>
      </body>
    </html>
  );
}
