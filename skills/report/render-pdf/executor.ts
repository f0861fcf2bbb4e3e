import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Pdf from 'pdfkit';
import type { ExecutionContext } from '../../../src/index.ts';

interface Hour {
  readonly hour: number;
  readonly amount_cents: number;
  readonly orders: number;
}

interface Params {
  readonly title: string;
  readonly day: string;
  readonly template: 'standard' | 'compact';
  readonly total_cents: number;
  readonly orders: number;
  readonly hours: readonly Hour[];
  readonly note?: string;
}

export async function execute(
  params: Params,
  { dataDir, signal }: ExecutionContext,
): Promise<unknown> {
  const pdf = await render(params);
  signal.throwIfAborted();
  const folder = join(dataDir, 'reports');
  await mkdir(folder, { recursive: true });
  const name = createHash('sha256').update(JSON.stringify(params)).digest('hex').slice(0, 12);
  const path = join(folder, `revenue-${params.day}-${name}.pdf`);
  // Written beside and moved: a reader never sees half a report.
  await writeFile(`${path}.part`, pdf, { signal });
  await rename(`${path}.part`, path);
  return { path, bytes: pdf.length };
}

function money(cents: number): string {
  return (cents / 100).toLocaleString('en-US', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 2,
  });
}

function render({
  title,
  day,
  template,
  total_cents: total,
  orders,
  hours,
  note,
}: Params): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const document = new Pdf({
      size: 'A4',
      margin: 56,
      info: { Title: `${title}, ${day}` },
    });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
    document.font('Helvetica-Bold').fontSize(20).text(title);
    document.font('Helvetica').fontSize(12).fillColor('#555').text(day);
    if (note !== undefined) document.moveDown(0.5).fillColor('#b00').text(note);
    document
      .moveDown()
      .fillColor('#000')
      .fontSize(14)
      .text(`Total ${money(total)}   Orders ${orders}`);
    if (template === 'standard' && hours.length > 0) bars(document, hours);
    document.end();
  });
}

function bars(document: PDFKit.PDFDocument, hours: readonly Hour[]): void {
  const most = Math.max(...hours.map(({ amount_cents: amount }) => amount), 1);
  document.moveDown().fontSize(9);
  for (const { hour, amount_cents: amount, orders } of hours) {
    const { y } = document;
    document.fillColor('#000').text(`${String(hour).padStart(2, '0')}:00`, 56, y, { width: 40 });
    document.rect(100, y, 260 * (amount / most), 8).fill('#2a6fb0');
    document.fillColor('#000').text(`${money(amount)}   ${orders} orders`, 370, y, { width: 180 });
    document.y = y + 15;
  }
}
