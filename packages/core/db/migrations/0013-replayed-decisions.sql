-- A decision that is put to a model again costs money and decides nothing.
alter table ledger drop constraint ledger_purpose_check;
alter table ledger add constraint ledger_purpose_check check (purpose in ('decide', 'turn', 'preview', 'replay'));
