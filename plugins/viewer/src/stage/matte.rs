//! Matte surfaces, which a processor can render without a graphics card.
//!
//! Bevy's physically based surfaces need about two thousand instructions for each pixel, and seconds to compile their
//! shaders. Matte surfaces have the same colours, images and lights, without highlights and shadows.

use bevy::asset::{AssetEventSystems, embedded_asset};
use bevy::mesh::MeshVertexBufferLayoutRef;
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_asset::RenderAssets;
use bevy::render::render_resource::{
    AsBindGroup, AsBindGroupShaderType, Face, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError,
};
use bevy::render::texture::GpuImage;
use bevy::shader::ShaderRef;

use super::light::{SKY, SUN, SUN_DIRECTION};

/// A surface without highlights.
#[derive(Asset, TypePath, AsBindGroup, Clone, Debug)]
#[bind_group_data(MatteKey)]
#[uniform(0, MatteUniform)]
pub struct Matte {
    color: LinearRgba,
    emissive: LinearRgba,
    #[texture(1)]
    #[sampler(2)]
    picture: Option<Handle<Image>>,
    picture_transform: bevy::math::Affine2,
    alpha_mode: AlphaMode,
    cull_mode: Option<Face>,
}

/// Layout of the shader.
#[derive(Clone, Debug, Default, ShaderType)]
struct MatteUniform {
    color: Vec4,
    emissive: Vec4,
    sun: Vec4,
    picture_axes: Vec4,
    picture_offset: Vec2,
    sky: f32,
    has_picture: u32,
}

/// Parameters of the pipelines of matte surfaces.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatteKey {
    cull_mode: Option<Face>,
}

impl From<&Matte> for MatteKey {
    fn from(matte: &Matte) -> Self {
        Self { cull_mode: matte.cull_mode }
    }
}

impl AsBindGroupShaderType<MatteUniform> for Matte {
    fn as_bind_group_shader_type(&self, _images: &RenderAssets<GpuImage>) -> MatteUniform {
        let axes = self.picture_transform.matrix2;
        MatteUniform {
            color: self.color.to_vec4(),
            emissive: self.emissive.to_vec4(),
            sun: (-SUN_DIRECTION.normalize()).extend(SUN),
            picture_axes: Vec4::new(axes.x_axis.x, axes.x_axis.y, axes.y_axis.x, axes.y_axis.y),
            picture_offset: self.picture_transform.translation,
            sky: SKY,
            has_picture: u32::from(self.picture.is_some()),
        }
    }
}

impl From<&StandardMaterial> for Matte {
    fn from(material: &StandardMaterial) -> Self {
        Self {
            color: material.base_color.to_linear(),
            emissive: material.emissive,
            picture: material.base_color_texture.clone(),
            picture_transform: material.uv_transform,
            alpha_mode: material.alpha_mode,
            cull_mode: material.cull_mode,
        }
    }
}

impl Material for Matte {
    fn fragment_shader() -> ShaderRef {
        let path = std::path::Path::new("bunraku_viewer").join("stage/matte.wgsl");
        ShaderRef::Path(bevy::asset::AssetPath::from_path_buf(path).with_source("embedded"))
    }

    fn alpha_mode(&self) -> AlphaMode {
        self.alpha_mode
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _pipeline: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _layout: &MeshVertexBufferLayoutRef,
        key: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        descriptor.primitive.cull_mode = key.bind_group_data.cull_mode;
        Ok(())
    }
}

/// Original material of a shape; it is kept alive, because bodies share it.
#[derive(Component)]
pub struct InsteadOf(
    #[expect(dead_code, reason = "held so that bodies that come later share it")] Handle<StandardMaterial>,
);

/// Replaces the materials of new shapes by matte ones.
pub struct MattePlugin;

impl Plugin for MattePlugin {
    fn build(&self, app: &mut App) {
        embedded_asset!(app, "matte.wgsl");
        app.add_plugins(MaterialPlugin::<Matte>::default())
            // Before Bevy looks for changed materials: if it sees the old one removed a frame after the new one was added, it
            // no longer draws the shape.
            .add_systems(PostUpdate, make_matte.after(TransformSystems::Propagate).before(AssetEventSystems));
    }
}

fn make_matte(
    mut commands: Commands,
    shapes: Query<(Entity, &MeshMaterial3d<StandardMaterial>)>,
    materials: Res<Assets<StandardMaterial>>,
    mut mattes: ResMut<Assets<Matte>>,
    mut known: Local<HashMap<AssetId<StandardMaterial>, AssetId<Matte>>>,
) {
    if shapes.is_empty() {
        return;
    }
    known.retain(|_, matte| mattes.contains(*matte));
    for (entity, MeshMaterial3d(handle)) in &shapes {
        let Some(material) = materials.get(handle) else { continue };
        let old = known.get(&handle.id()).and_then(|id| mattes.get_strong_handle(*id));
        let matte = old.unwrap_or_else(|| {
            let matte = mattes.add(Matte::from(material));
            known.insert(handle.id(), matte.id());
            matte
        });
        commands
            .entity(entity)
            .remove::<MeshMaterial3d<StandardMaterial>>()
            .insert((MeshMaterial3d(matte), InsteadOf(handle.clone())));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_body::{Body, BodyState, LinkIndex};
    use bunraku_mesh::{
        Appearance, Geometry, Pixels, Primitive, Shape, Texture, TextureImage, TextureTransform, TriangleMesh,
    };
    use bunraku_test_support::{Needed, read_links, skip};
    use nalgebra::{Affine3, Matrix4, Point3, Vector3};

    use super::*;
    use crate::picture::{PictureCamera, PictureError, PictureSize, PosedBody, device, studio::Studio};

    const SIZE: PictureSize = PictureSize { width: 160, height: 120 };

    fn at_rest(body: Body) -> PosedBody {
        PosedBody { state: BodyState::initial(&body), body: Arc::new(body) }
    }

    fn with_shape(links: &str, shape: Shape) -> PosedBody {
        let mut body = read_links(links);
        *body.visual_mut(LinkIndex::ROOT).unwrap() = vec![shape];
        at_rest(body)
    }

    fn box_of(size: [f64; 3], appearance: Appearance) -> Shape {
        let geometry = Geometry::primitive(Primitive::Box { size: size.into() });
        Shape::new(geometry, Affine3::identity(), appearance)
    }

    fn draw(body: &PosedBody, camera: PictureCamera, is_matte: bool) -> Option<image::RgbaImage> {
        let device = match device::open() {
            Ok(device) => device,
            Err(error @ (PictureError::NoAdapter(_) | PictureError::NoDevice { .. })) => {
                skip(Needed::Graphics, error);
                return None;
            }
            Err(error) => panic!("{error}"),
        };
        let mut studio = if is_matte { Studio::with(device, MattePlugin) } else { Studio::new(device) };
        Some(studio.take(std::slice::from_ref(body), &camera, SIZE).unwrap().image)
    }

    fn assert_color(picture: &image::RgbaImage, [x, y]: [u32; 2], linear: [f32; 3]) {
        let expected = LinearRgba::rgb(linear[0], linear[1], linear[2]);
        let expected = Srgba::from(expected).to_u8_array_no_alpha();
        let found = picture.get_pixel(x, y).0;
        let differs = (0..3).any(|color| found[color].abs_diff(expected[color]) > 3);
        assert!(!differs, "at {x}, {y}: {found:?} instead of {expected:?}");
    }

    #[test]
    fn faces_are_as_bright_as_they_are_turned_to_the_sun() {
        let gray = Appearance { diffuse: Vector3::repeat(0.5), ..Appearance::default() };
        let body = with_shape("  - { name: ROOT, joint_type: fixed }\n", box_of([1.0; 3], gray));
        let gray = Color::srgb(0.5, 0.5, 0.5).to_linear().red;
        let to_sun = -SUN_DIRECTION.normalize();
        for (eye, normal) in [([3.0, 0.0, 0.0], Vec3::X), ([-3.0, 0.0, 0.0], -Vec3::X), ([0.0, 0.01, 3.0], Vec3::Z)] {
            let Some(picture) = draw(&body, PictureCamera::new(eye.into(), Point3::origin()), true) else { return };
            let light = SKY + SUN * normal.dot(to_sun).max(0.0);
            assert_color(&picture, [80, 60], [light * gray; 3]);
        }
    }

    #[test]
    fn lamps_light_surfaces() {
        let links = "  - name: ROOT
    joint_type: fixed
    elements:
      - { type: PointLight, id: 0, translation: [ 0, 0, 2 ], intensity: 1, color: [ 1, 0.5, 0 ] }
      - { type: SpotLight, id: 1, translation: [ 0, 0, 2 ], direction: [ 1, 0, 0 ], intensity: 1, color: [ 0, 0, 1 ], cutOffAngle: 30, beamWidth: 25 }
";
        let gray = Appearance { diffuse: Vector3::repeat(0.5), ..Appearance::default() };
        let body = with_shape(links, box_of([4.0, 4.0, 0.0], gray));
        let camera = PictureCamera::new(Point3::new(0.0, 0.01, 4.0), Point3::origin());
        let Some(picture) = draw(&body, camera, true) else { return };
        let gray = Color::srgb(0.5, 0.5, 0.5).to_linear().red;
        let sun = SKY + SUN * (-SUN_DIRECTION.normalize()).z;
        let lamp = Color::srgb(1.0, 0.5, 0.0).to_linear();
        assert_color(
            &picture,
            [80, 60],
            [gray * (sun + lamp.red), gray * (sun + lamp.green), gray * (sun + lamp.blue)],
        );
        let Some(other) = draw(&body, camera, false) else { return };
        let pixel = |picture: &image::RgbaImage| picture.get_pixel(20, 60).0.map(f32::from);
        let (matte, full) = (pixel(&picture), pixel(&other));
        assert!((matte[0] / matte[2] - full[0] / full[2]).abs() < 0.1, "{matte:?} {full:?}");
    }

    #[test]
    fn moved_links_are_drawn_where_they_are() {
        let device = match device::open() {
            Ok(device) => device,
            Err(error @ (PictureError::NoAdapter(_) | PictureError::NoDevice { .. })) => {
                return skip(Needed::Graphics, error);
            }
            Err(error) => panic!("{error}"),
        };
        let mut body = read_links(
            "  - { name: ROOT, joint_type: fixed }\n  - { name: SLIDE, parent: ROOT, joint_type: prismatic, joint_axis: X, joint_id: 0, mass: 1 }\n",
        );
        let dark = Appearance { diffuse: Vector3::repeat(0.1), ..Appearance::default() };
        *body.visual_mut(LinkIndex(1)).unwrap() = vec![box_of([0.5; 3], dark)];
        let body = at_rest(body);
        let camera = PictureCamera::new(Point3::new(0.0, -6.0, 0.0), Point3::origin());
        let mut studio = Studio::with(device, MattePlugin);
        let scenery = studio.set_up(std::slice::from_ref(&body), &camera, SIZE).unwrap();
        for displacement in [0.0, 1.0, -0.5] {
            let state = BodyState::at_rest(&body.body, &nalgebra::Isometry3::identity(), vec![displacement]);
            studio.pose(&scenery, &[state]);
            let picture = studio.expose(&scenery).unwrap().image;
            let dark = picture.enumerate_pixels().filter(|(.., pixel)| pixel.0[0] < 120).map(|(x, ..)| f64::from(x));
            let columns: Vec<f64> = dark.collect();
            let middle = columns.iter().sum::<f64>() / columns.len() as f64;
            assert!((middle - 79.5 - 24.5 * displacement).abs() < 1.0, "at {displacement} m: column {middle}");
        }
    }

    #[test]
    fn textures_and_vertex_colors_are_drawn_as_with_a_graphics_card() {
        let rgba =
            (0..64).map(|pixel| [if pixel % 8 < 4 { 255 } else { 60 }, if pixel < 32 { 255 } else { 60 }, 0, 255]);
        let image = TextureImage::Pixels(Arc::new(Pixels { width: 8, height: 8, rgba: rgba.collect() }));
        let transform =
            TextureTransform { translation: nalgebra::Vector2::new(0.2, 0.1), ..TextureTransform::default() };
        let texture = Texture { image, repeat: [true; 2], transform };
        let painted = Appearance { texture: Some(texture), ..Appearance::default() };
        let corners: Vec<_> =
            [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| Point3::new(x, y, 0.0)).into();
        let colors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];
        let mut colored =
            TriangleMesh { vertices: corners, triangles: vec![[0, 1, 2], [0, 2, 3]], ..TriangleMesh::default() };
        let [first, second, third, fourth] = colors.map(Vector3::from);
        colored.colors = vec![[first, second, third], [first, third, fourth]];
        let colored = Shape::new(
            Geometry::Mesh(Arc::new(colored)),
            Affine3::from_matrix_unchecked(Matrix4::identity()),
            Appearance::default(),
        );
        for shape in [box_of([2.0; 3], painted), colored] {
            let body = with_shape("  - { name: ROOT, joint_type: fixed }\n", shape);
            let camera = PictureCamera::new(Point3::new(0.0, 0.01, 4.0), Point3::origin());
            let (Some(matte), Some(full)) = (draw(&body, camera, true), draw(&body, camera, false)) else { return };
            for (x, y) in [(60, 40), (100, 40), (60, 80), (100, 80), (80, 60)] {
                let [matte, full] = [&matte, &full].map(|picture| picture.get_pixel(x, y).0.map(f32::from));
                let brightest = |color: [f32; 4]| color[..3].iter().copied().fold(1.0, f32::max);
                for channel in 0..3 {
                    let [matte, full] = [matte, full].map(|color| color[channel] / brightest(color));
                    assert!((matte - full).abs() < 0.08, "at {x}, {y}, {channel}: {matte} instead of {full}");
                }
            }
        }
    }
}
