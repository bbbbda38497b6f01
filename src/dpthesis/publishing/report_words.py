"""Words of the report, the preview and the list of numbers, in English and Portuguese."""

WORDS = {
    # chapters
    "chapter:laplace_lab": ("The Laplace lab and its replication", "O laboratório de Laplace e sua replicação"),
    "chapter:small_cells": ("Small cells", "Células pequenas"),
    "chapter:budget": ("The privacy budget of a day and a year", "O orçamento de privacidade de um dia e de um ano"),
    "chapter:exponential_families": (
        "Inference in exponential families",
        "Inferência em famílias exponenciais",
    ),
    "chapter:lambda_randomization": ("λ-randomization", "λ-aleatorização"),
    "chapter:brownian_stopping": (
        "The Brownian mechanism and stopping",
        "O mecanismo browniano e a parada",
    ),
    "chapter:audit": ("Audit of the mechanisms", "Auditoria dos mecanismos"),
    # first screen
    "title": ("Differential privacy thesis: what is reproduced", "Tese de privacidade diferencial: o que se reproduz"),
    "skip": ("Skip to the chapters", "Ir para os capítulos"),
    "headline_good": (
        "Reproduced: every output equals the verified one.",
        "Reproduzido: toda saída é igual à verificada.",
    ),
    "headline_bad": (
        "Not the verified thesis: {bad} of {files} outputs differ or are missing.",
        "Não é a tese verificada: {bad} de {files} saídas diferem ou faltam.",
    ),
    "headline_none": (
        "Nothing was compared: the run '{run}' has no verified outputs.",
        "Nada foi comparado: a execução '{run}' não tem saídas verificadas.",
    ),
    "headline_claims_none_open": (
        "{held} of {all} claims hold (sources: {of_sources} of {sources}), {failed} do not.",
        "{held} de {all} afirmações valem (fontes: {of_sources} de {sources}), {failed} não valem.",
    ),
    "headline_claims_one_open": (
        "{held} of {all} claims hold (sources: {of_sources} of {sources}), {failed} do not, {open} was not run.",
        "{held} de {all} afirmações valem (fontes: {of_sources} de {sources}), {failed} não valem, "
        "{open} não foi executada.",
    ),
    "headline_claims_many_open": (
        "{held} of {all} claims hold (sources: {of_sources} of {sources}), {failed} do not, {open} were not run.",
        "{held} de {all} afirmações valem (fontes: {of_sources} de {sources}), {failed} não valem, "
        "{open} não foram executadas.",
    ),
    "outputs": ("Outputs against the verified ones", "Saídas contra as verificadas"),
    "passed": ("passed", "aprovada"),
    "FAILED": ("failed", "reprovada"),
    "not_compared": ("not compared", "não comparada"),
    "count_files": ("{files} files: {counts}", "{files} arquivos: {counts}"),
    "same": ("same", "iguais"),
    "within tolerance": ("within tolerance", "dentro da tolerância"),
    "differs": ("different", "diferentes"),
    "missing": ("missing", "ausentes"),
    "cells_differ": (
        "{differing} of {cells} cells or lines differ, at most by {worst} relatively",
        "{differing} de {cells} células ou linhas diferem, no máximo {worst} em termos relativos",
    ),
    "file_missing": ("missing on one side", "falta em um dos lados"),
    "claims_of_sources": ("Claims of the sources, and our own", "Afirmações das fontes, e nossas"),
    "claims_hold": ("{held} of {all} hold", "{held} de {all} valem"),
    "sources_hold": ("sources: {held} of {all}", "fontes: {held} de {all}"),
    "reproduced": ("reproduced", "reproduzida"),
    "reproduced with a note": ("reproduced with a note", "reproduzida com ressalva"),
    "not reproduced": ("not reproduced", "não reproduzida"),
    "not run": ("not run", "não executada"),
    "this_run": ("This run", "Esta execução"),
    "version": ("thesis version", "versão da tese"),
    "run": ("run", "execução"),
    "commit": ("commit", "commit"),
    "root_seed": ("root seed", "semente raiz"),
    "total_time": ("computing time", "tempo de cálculo"),
    "seconds_unit": ("{seconds} s", "{seconds} s"),
    "dirty": ("{commit}, with changes that are not committed", "{commit}, com alterações sem commit"),
    "no_commit": ("unknown: this folder is no git clone", "desconhecido: esta pasta não é um clone git"),
    "search_label": ("Find a number in all tables", "Encontre um número em todas as tabelas"),
    "search_example": ("coverage naive poisson n=500 epsilon 0.5", "cobertura ingênua poisson n=500 epsilon 0,5"),
    "search_help": (
        "Words, and conditions on columns (n=500, eps>1 or ε>1), in any order. It looks through the full results, "
        "the captions and the claims.",
        "Palavras e condições sobre colunas (n=500, eps>1 ou ε>1), em qualquer ordem. A busca percorre os resultados "
        "completos, as legendas e as afirmações.",
    ),
    # claims
    "chapters": ("Chapters", "Capítulos"),
    "not_reproduced_title": (
        "What does not hold or was not run, and why",
        "O que não vale ou não se executou, e por quê",
    ),
    "not_run_claims": ("Not run: {count}", "Não executadas: {count}"),
    "none_failed": ("Every claim that was judged holds.", "Toda afirmação julgada vale."),
    "why_line": (
        "The source says {reference}; measured {measured}; needed {bounds}.",
        "A fonte diz {reference}; medido {measured}; necessário {bounds}.",
    ),
    "differing_title": ("Outputs that are not the verified ones", "Saídas que não são as verificadas"),
    "differing_cure": ("Row, column and both values:", "Linha, coluna e os dois valores:"),
    "all_claims": ("All claims", "Todas as afirmações"),
    "claims_of_chapter": ("Claims that rest on this chapter", "Afirmações que dependem deste capítulo"),
    "claim": ("claim", "afirmação"),
    "reference": ("the source says", "a fonte diz"),
    "measured": ("measured", "medido"),
    "bounds": ("needed", "necessário"),
    "verdict": ("verdict", "veredito"),
    "why": ("why, notes", "por quê, notas"),
    "rule": ("rule", "regra"),
    "show_rows": ("show the rows", "mostrar as linhas"),
    "source": ("source {number}", "fonte {number}"),
    "source_own": ("our own, its rule written with its chapter", "nossa, com a regra escrita junto do capítulo"),
    "second_rule": (
        "by the second rule, '{second}'; '{first}' is {value}, outside {bounds}",
        "pela segunda regra, '{second}'; '{first}' é {value}, fora de {bounds}",
    ),
    "second_rule_alone": (
        "by the second rule, '{second}'; '{first}' could not be measured",
        "pela segunda regra, '{second}'; '{first}' não pôde ser medida",
    ),
    "from_to": ("{low} to {high}", "{low} a {high}"),
    "with_a_note": ("with a note: {bounds}", "com ressalva: {bounds}"),
    "silent": ("{count} without a value did not vote", "{count} sem valor não votaram"),
    "no_table": ("{table} is not there", "{table} não existe"),
    "no_row": ("no row of {table} matches {where}", "nenhuma linha de {table} satisfaz {where}"),
    # chapters
    "chapter_line": (
        "{tables} tables, {figures} figures, {results} full result tables.",
        "{tables} tabelas, {figures} figuras, {results} tabelas de resultados completos.",
    ),
    "remake_chapter": ("This chapter alone:", "Só este capítulo:"),
    "remake_figure": ("This figure alone:", "Só esta figura:"),
    "remake_table": ("This table alone:", "Só esta tabela:"),
    "remake_all": ("The whole thesis:", "A tese inteira:"),
    "or": ("or", "ou"),
    "figures": ("Figures", "Figuras"),
    "tables": ("Tables", "Tabelas"),
    "enlarge": ("Enlarge the figure", "Ampliar a figura"),
    "close": ("Close", "Fechar"),
    "files": ("files", "arquivos"),
    "download_figure": ("download", "baixar"),
    "filter_rows": ("Filter the rows", "Filtrar as linhas"),
    "full_results": ("Full results", "Resultados completos"),
    "full_results_line": (
        "Every cell of the experiments, inside this file. A filter takes 0.5, >0.9, 0.1..0.5 or part of a word.",
        "Todas as células dos experimentos, dentro deste arquivo. Um filtro aceita 0,5, >0,9, 0,1..0,5 ou parte de "
        "uma palavra.",
    ),
    "rows_columns": ("{rows} rows, {columns} columns", "{rows} linhas, {columns} colunas"),
    "download_csv": ("Download as CSV", "Baixar como CSV"),
    "on_disk": ("the file on disk", "o arquivo em disco"),
    "behind": ("Behind these numbers", "Por trás destes números"),
    "settings_and_seed": ("Settings of this chapter, root seed {seed}", "Configuração deste capítulo, semente {seed}"),
    "times_line": ("Run times: {seconds} s in all", "Tempos de execução: {seconds} s no total"),
    "run_times": ("Run times", "Tempos de execução"),
    "house_times": ("Run times of claims, checks and lists", "Tempos das afirmações, verificações e listas"),
    "step": ("step", "passo"),
    "seconds": ("seconds", "segundos"),
    "cpu_seconds": ("CPU seconds", "segundos de CPU"),
    "memory": ("memory, MB", "memória, MB"),
    "origins": ("Origin of every file", "Origem de cada arquivo"),
    "file": ("file", "arquivo"),
    "made_by": ("made by", "feito por"),
    "settings_digest": ("settings", "configuração"),
    "code_digest": ("code", "código"),
    "sha256": ("SHA-256", "SHA-256"),
    # the run
    "about_run": ("About this run", "Sobre esta execução"),
    "packages": ("packages", "pacotes"),
    "python": ("Python", "Python"),
    "system": ("system", "sistema"),
    "references": ("References", "Referências"),
    # what the page's script says
    "all": ("all", "todos"),
    "clear": ("Clear filters", "Limpar filtros"),
    "more_rows": ("Show more rows", "Mostrar mais linhas"),
    "rows_shown": ("{shown} of {kept} matching rows, {all} in all", "{shown} de {kept} linhas, {all} no total"),
    "filter_column": ("Filter {column}", "Filtrar {column}"),
    "filter_example": ("0.5, >0.9 …", "0,5, >0,9 …"),
    "open_table": ("Open the table at these rows", "Abrir a tabela nestas linhas"),
    "rows_found": ("matching rows: {found}", "linhas encontradas: {found}"),
    "more_tables": ("{more} more tables match; add a word.", "Outras {more} tabelas; acrescente uma palavra."),
    "texts_found": ("Captions and claims", "Legendas e afirmações"),
    "nothing_found": (
        "Nothing found. Try fewer words, or a column's name with a value, such as epsilon=0.5.",
        "Nada encontrado. Tente menos palavras, ou o nome de uma coluna com um valor, como epsilon=0,5.",
    ),
    # numbers and the preview
    "number_macro": ("macro", "macro"),
    "number_value": ("value", "valor"),
    "number_table": ("result table", "tabela de resultados"),
    "number_rows": ("rows", "linhas"),
    "number_of": ("column", "coluna"),
    "number_intro": (
        "Every number that the thesis's prose quotes, as a macro of `numbers.tex`. Write `\\labmaepointone{}`. "
        "What a guarantee allows is rounded up.",
        "Todo número que a prosa da tese cita, como macro de `numbers.tex`. Escreva `\\labmaepointone{}`. "
        "O que uma garantia permite é arredondado para cima.",
    ),
    "numbers_title": ("Numbers in prose", "Números na prosa"),
    "preview_title": ("Tables, figures and numbers of the thesis", "Tabelas, figuras e números da tese"),
    "latex_table": ("Table", "Tabela"),
    "latex_figure": ("Figure", "Figura"),
    "latex_references": ("References", "Referências"),
    "latex_contents": ("Contents", "Sumário"),
}

#: What the page's script says; the template says the rest.
SCRIPT_WORDS = (
    *("all", "clear", "more_rows", "rows_shown", "filter_column", "filter_example", "open_table", "rows_found"),
    *("more_tables", "texts_found", "nothing_found"),
)

#: Words of a search that no table holds.
IGNORED = (
    *("the", "of", "at", "for", "and", "in", "a", "an", "is", "what", "with", "to", "analysis", "where"),
    *("o", "os", "as", "de", "da", "do", "das", "dos", "em", "com", "para", "e", "análise", "onde", "qual", "no", "na"),
)
