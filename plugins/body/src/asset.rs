//! Model files as Bevy assets.

use std::path::PathBuf;
use std::sync::Arc;

use bevy::asset::io::Reader;
use bevy::asset::io::file::FileAssetReader;
use bevy::asset::{AssetLoader, AssetPlugin, LoadContext};
use bevy::prelude::*;
use bunraku_document::{Diagnostic, Reporter, Severity};
use thiserror::Error;

use crate::{Body, BodyModel, LoadOptions};

/// A model file loaded by Bevy's asset server; an entity with a [`BodyFile`] becomes such a body.
#[derive(Asset, TypePath, Clone, Debug)]
pub struct BodyAsset {
    /// The model.
    pub body: Arc<Body>,
    /// Warnings and notes of the load.
    pub diagnostics: Vec<Diagnostic>,
}

/// A body from a model file: the entity gets its [`BodyModel`] as soon as the file is loaded, and with it everything else.
///
/// ```
/// use bevy::prelude::*;
/// use bunraku_body::{BodyFile, BodyPlugin, BodySpawned};
///
/// fn setup(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((BodyFile(assets.load("arm.body")), Transform::from_xyz(0.0, 0.0, 0.8))).observe(
///         |spawned: On<BodySpawned>| println!("{} is here", spawned.entity),
///     );
/// }
///
/// let mut app = App::new();
/// app.add_plugins((MinimalPlugins, TransformPlugin, AssetPlugin::default(), BodyPlugin)).add_systems(Startup, setup);
/// ```
///
/// Warnings about the file are logged. A file that cannot be read is an error of the asset server, with its location.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component)]
pub struct BodyFile(pub Handle<BodyAsset>);

/// Makes bodies of entities whose files are loaded.
fn make_bodies(
    mut commands: Commands,
    waiting: Query<(Entity, &BodyFile), Without<BodyModel>>,
    assets: Res<Assets<BodyAsset>>,
) {
    for (entity, BodyFile(file)) in &waiting {
        let Some(asset) = assets.get(file) else { continue };
        for diagnostic in &asset.diagnostics {
            match diagnostic.severity {
                Severity::Error => log::error!("{diagnostic}"),
                Severity::Warning => log::warn!("{diagnostic}"),
                Severity::Note => log::info!("{diagnostic}"),
            }
        }
        commands.entity(entity).insert(BodyModel(Arc::clone(&asset.body)));
    }
}

/// Reason why a model file cannot be loaded as an asset.
#[derive(Debug, Error)]
pub enum BodyAssetError {
    /// The asset comes from a source other than the file system.
    #[error("a body is read from the file system, not from `{0}`")]
    NoFile(String),
    /// The file is not a valid model. All findings; at least one of them is an error.
    #[error("{}", errors(.0))]
    Unreadable(Vec<Diagnostic>),
}

fn errors(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    errors.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Loads `.body` files and OpenHRP models (`.wrl`) for the asset server. [`crate::BodyPlugin`] registers it if the app
/// has an `AssetPlugin`.
///
/// A model refers to other files (meshes, images, included models) relative to itself or to search roots, also in
/// parent directories. They are read from the file system, not through the asset server. The model must therefore come
/// from the server's default source, and that must be a directory: asset path `robots/a.body` is file
/// `<root>/robots/a.body`. A change of those other files does not reload the model.
#[derive(TypePath, Clone, Debug, Default)]
pub struct BodyAssetLoader {
    /// The directory of the default asset source.
    pub root: PathBuf,
    /// Load options. `${SHARE}` and similar variables are defined only if they are set here.
    pub options: LoadOptions,
}

impl BodyAssetLoader {
    /// A loader for the directory that an `AssetPlugin` reads from.
    pub fn for_plugin(plugin: &AssetPlugin) -> Self {
        Self { root: FileAssetReader::get_base_path().join(&plugin.file_path), options: LoadOptions::default() }
    }
}

impl AssetLoader for BodyAssetLoader {
    type Asset = BodyAsset;
    type Settings = ();
    type Error = BodyAssetError;

    async fn load(
        &self,
        _: &mut dyn Reader,
        (): &Self::Settings,
        context: &mut LoadContext<'_>,
    ) -> Result<BodyAsset, BodyAssetError> {
        let path = context.path();
        if path.source().as_str().is_some() {
            return Err(BodyAssetError::NoFile(path.to_string()));
        }
        let reporter = Reporter::new();
        let body = crate::load(&self.root.join(path.path()), &self.options, &reporter);
        let diagnostics = reporter.into_diagnostics();
        match body {
            Some(body) => Ok(BodyAsset { body: Arc::new(body), diagnostics }),
            None => Err(BodyAssetError::Unreadable(diagnostics)),
        }
    }

    fn extensions(&self) -> &[&str] {
        &["body", "wrl"]
    }
}

/// Registers the loader, if the app has assets and the loader is not registered yet.
pub fn register(app: &mut App) {
    let plugins = app.get_added_plugins::<AssetPlugin>();
    let Some(loader) = plugins.first().map(|plugin| BodyAssetLoader::for_plugin(plugin)) else { return };
    if !app.world().contains_resource::<Assets<BodyAsset>>() {
        app.init_asset::<BodyAsset>().register_asset_loader(loader).register_type::<BodyFile>();
        app.add_systems(PreUpdate, make_bodies);
    }
}
