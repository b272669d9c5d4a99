def test_import():
    import mulligan_ledger
    assert mulligan_ledger.Ledger
